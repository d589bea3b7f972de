// Declares setlabel.
import type { MethodSpec } from '../../declare/types.js';

export const setlabel: MethodSpec = {
  name: 'setlabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Labels an address.',
  args: [
    { name: 'address', type: 'str', help: 'The address' },
    { name: 'label', type: 'str', help: 'Its label' },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl" "tabby"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl", "tabby"' }],
};

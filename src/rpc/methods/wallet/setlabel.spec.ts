import { declare } from '../../declare/parameters.js';
import { none, str } from '../../declare/parts.js';

export const setlabel = declare({
  name: 'setlabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Sets the label of an address.',
  args: [str('address', 'The address'), str('label', 'The label')],
  results: [none()],
  examples: [{ cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl" "tabby"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl", "tabby"' }],
});

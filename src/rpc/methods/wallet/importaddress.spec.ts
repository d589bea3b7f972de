import { bool, none, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const importaddress: MethodSpec = {
  name: 'importaddress',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description: 'Watches an address or a script.',
  args: [
    str('address', 'The address, or a script in hex'),
    str('label', 'Its label', { default: '""' }),
    bool('rescan', 'Scan the blocks for its transactions', { default: 'true' }),
    bool('p2sh', 'Watch the P2SH address of the script too', { default: 'false' }),
  ],
  results: [none()],
  examples: [
    { cli: '"myaddress"', rpc: '"myaddress"' },
    { cli: '"myaddress" "testing" false', rpc: '"myaddress", "testing", false' },
  ],
  waits: true,
};

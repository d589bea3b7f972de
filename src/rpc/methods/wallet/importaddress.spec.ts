// Declares importaddress.
import type { MethodSpec } from '../../declare/types.js';

export const importaddress: MethodSpec = {
  name: 'importaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Watches an address or a script.',
  args: [
    { name: 'address', type: 'str', help: 'The address, or a script in hex' },
    { name: 'label', type: 'str', default: '""', help: 'Its label' },
    { name: 'rescan', type: 'bool', default: 'true', help: 'Scan the blocks for its transactions' },
    { name: 'p2sh', type: 'bool', default: 'false', help: 'Watch the P2SH address of the script too' },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [
    { cli: '"myaddress"', rpc: '"myaddress"' },
    { cli: '"myaddress" "testing" false', rpc: '"myaddress", "testing", false' },
  ],
  waits: true,
};

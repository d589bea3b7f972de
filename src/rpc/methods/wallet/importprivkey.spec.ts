// Declares importprivkey.
import type { MethodSpec } from '../../declare/types.js';

export const importprivkey: MethodSpec = {
  name: 'importprivkey',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Imports a private key into a legacy wallet.',
  args: [
    { name: 'privkey', type: 'str', holds: 'key', help: 'The key in WIF' },
    { name: 'label', type: 'str', default: 'the present one, otherwise ""', help: 'Label of its addresses' },
    { name: 'rescan', type: 'bool', default: 'true', help: 'Scan the blocks for its transactions' },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [
    { cli: '"mykey"', rpc: '"mykey"' },
    { cli: '"mykey" "testing" false', rpc: '"mykey", "testing", false' },
  ],
  waits: true,
};

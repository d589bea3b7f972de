// Declares importpubkey.
import type { MethodSpec } from '../../declare/types.js';

export const importpubkey: MethodSpec = {
  name: 'importpubkey',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Watches the addresses of a public key.',
  args: [
    { name: 'pubkey', type: 'str', help: 'The key in hex' },
    { name: 'label', type: 'str', default: '""', help: 'Label of its addresses' },
    { name: 'rescan', type: 'bool', default: 'true', help: 'Scan the blocks for its transactions' },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [
    { cli: '"mypubkey"', rpc: '"mypubkey"' },
    { cli: '"mypubkey" "testing" false', rpc: '"mypubkey", "testing", false' },
  ],
  waits: true,
};

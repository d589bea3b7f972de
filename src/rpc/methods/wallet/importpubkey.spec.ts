import { bool, none, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const importpubkey: MethodSpec = {
  name: 'importpubkey',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description: 'Watches the addresses of a public key.',
  args: [
    str('pubkey', 'The key in hex'),
    str('label', 'Label of its addresses', { default: '""' }),
    bool('rescan', 'Scan the blocks for its transactions', { default: 'true' }),
  ],
  results: [none()],
  examples: [
    { cli: '"mypubkey"', rpc: '"mypubkey"' },
    { cli: '"mypubkey" "testing" false', rpc: '"mypubkey", "testing", false' },
  ],
  waits: true,
};

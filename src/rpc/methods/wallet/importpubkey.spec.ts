import { declare } from '../../declare/parameters.js';
import { bool, none, str } from '../../declare/parts.js';

export const importpubkey = declare({
  name: 'importpubkey',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description: 'Adds the addresses of a public key to the wallet as watch-only.',
  args: [
    str('pubkey', 'The key in hex'),
    str('label', 'Label of the addresses', { default: '""' }),
    bool('rescan', 'Whether to scan the blocks for transactions', { default: 'true' }),
  ],
  results: [none()],
  examples: [
    { cli: '"mypubkey"', rpc: '"mypubkey"' },
    { cli: '"mypubkey" "testing" false', rpc: '"mypubkey", "testing", false' },
  ],
  waits: true,
});

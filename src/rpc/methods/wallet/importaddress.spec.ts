import { declare } from '../../declare/parameters.js';
import { bool, none, str } from '../../declare/parts.js';

export const importaddress = declare({
  name: 'importaddress',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description: 'Adds an address or script to the wallet as watch-only.',
  args: [
    str('address', 'The address, or a script in hex'),
    str('label', 'The label', { default: '""' }),
    bool('rescan', 'Whether to scan the blocks for transactions', { default: 'true' }),
    bool('p2sh', 'Whether to watch the P2SH address of the script too', { default: 'false' }),
  ],
  results: [none()],
  examples: [
    { cli: '"myaddress"', rpc: '"myaddress"' },
    { cli: '"myaddress" "testing" false', rpc: '"myaddress", "testing", false' },
  ],
  waits: true,
});

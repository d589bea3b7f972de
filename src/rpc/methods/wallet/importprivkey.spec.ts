import { declare } from '../../declare/parameters.js';
import { bool, none, str } from '../../declare/parts.js';

export const importprivkey = declare({
  name: 'importprivkey',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description: 'Imports a private key into a legacy wallet.',
  args: [
    str('privkey', 'The key in WIF', { holds: 'key' }),
    str('label', 'Label of the addresses', { default: 'the present one, otherwise ""' }),
    bool('rescan', 'Whether to scan the blocks for transactions', { default: 'true' }),
  ],
  results: [none()],
  examples: [
    { cli: '"mykey"', rpc: '"mykey"' },
    { cli: '"mykey" "testing" false', rpc: '"mykey", "testing", false' },
  ],
  waits: true,
});

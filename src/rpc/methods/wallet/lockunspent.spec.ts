import { arr, bool, hex, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const lockunspent: MethodSpec = {
  name: 'lockunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Keeps coins back from being spent by the wallet, or lets them go. Locks last until the wallet is unloaded, persistent ones beyond that.',
  args: [
    bool('unlock', 'Let go (true) or keep back (false)'),
    arr('transactions', 'The coins; all of them when left out', { default: '[]' }, [
      obj({ optional: true }, [hex('txid', 'Transaction'), num('vout', 'Output')]),
    ]),
    bool('persistent', 'Whether the locks shall outlive the wallet being unloaded', { since: 23, default: 'false' }),
  ],
  results: [bool('true')],
  examples: [
    {
      cli: 'false "[{\\"txid\\":\\"mytxid\\",\\"vout\\":1}]"',
      rpc: 'false, "[{\\"txid\\":\\"mytxid\\",\\"vout\\":1}]"',
    },
  ],
};

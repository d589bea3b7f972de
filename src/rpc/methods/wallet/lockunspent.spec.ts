import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, num, obj } from '../../declare/parts.js';

export const lockunspent = declare({
  name: 'lockunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Locks coins, so that the wallet does not spend them, or unlocks them. Locks last until the wallet is unloaded,\npersistent locks longer.',
  args: [
    bool('unlock', 'true unlocks the coins, false locks them', { checked: true }),
    arr('transactions', 'The coins. If omitted, all coins', { checked: true, seesAbsence: true, default: '[]' }, [
      obj({ optional: true }, [hex('txid', 'Transaction'), num('vout', 'Output')]),
    ]),
    bool('persistent', 'Whether the locks last after the wallet was unloaded', { since: 23, default: 'false' }),
  ],
  results: [bool('true')],
  examples: [
    {
      cli: 'false "[{\\"txid\\":\\"mytxid\\",\\"vout\\":1}]"',
      rpc: 'false, "[{\\"txid\\":\\"mytxid\\",\\"vout\\":1}]"',
    },
  ],
});

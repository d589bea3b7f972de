import { LAST_PROCESSED } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str, time } from '../../declare/parts.js';

export const getwalletinfo = declare({
  name: 'getwalletinfo',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the state of the wallet.',
  args: [],
  results: [
    obj([
      str('walletname', 'Its name'),
      num('walletversion', 'Its version'),
      str('format', 'bdb or sqlite: the format in which Core would store the wallet'),
      amount('balance', 'Same as getbalances().mine.trusted', { until: 30 }),
      amount('unconfirmed_balance', 'Same as getbalances().mine.untrusted_pending', { until: 30 }),
      amount('immature_balance', 'Same as getbalances().mine.immature', { until: 30 }),
      num('txcount', 'Transactions'),
      time('keypoololdest?', 'Creation time of the oldest key in the key pool', { until: 30 }),
      num('keypoolsize', 'Number of keys in the key pool for receiving'),
      hex('hdseedid?', 'Hash of the seed key', { until: 30 }),
      num('keypoolsize_hd_internal?', 'Number of keys in the key pool for change'),
      time('unlocked_until?', 'Time at which the wallet locks itself, 0 if it is locked'),
      amount('paytxfee', 'Fee rate set by settxfee, BTC/kvB', { until: 31 }),
      bool('private_keys_enabled', 'Whether the wallet can have private keys'),
      bool('avoid_reuse', 'Whether the wallet tracks addresses that were spent from (avoid_reuse)'),
      obj('scanning', 'The current scan, or false', { orFalse: true }, [
        num('duration', 'Seconds since the scan began'),
        num('progress', 'Progress, 0 to 1'),
      ]),
      bool('descriptors', 'Whether the wallet is a descriptor wallet'),
      bool('external_signer', 'Whether the wallet uses an external signer', { since: 23 }),
      bool('blank', 'Whether the wallet is blank: it was created without keys and has none yet', { since: 26 }),
      time('birthtime?', 'Time before which the wallet has no transactions', { since: 27 }),
      arr('flags', 'Flags of the wallet', { since: 30 }, [str('A flag')]),
      LAST_PROCESSED,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

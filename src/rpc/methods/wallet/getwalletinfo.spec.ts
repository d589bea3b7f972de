import { LAST_PROCESSED } from '../../declare/members.js';
import { amount, arr, bool, hex, num, obj, str, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getwalletinfo: MethodSpec = {
  name: 'getwalletinfo',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  repeatable: true,
  description: 'Tells the state of the wallet.',
  args: [],
  results: [
    obj([
      str('walletname', 'Its name'),
      num('walletversion', 'Its version'),
      str('format', 'bdb or sqlite, as Core would store it'),
      amount('balance', 'Same as getbalances().mine.trusted', { until: 30 }),
      amount('unconfirmed_balance', 'Same as getbalances().mine.untrusted_pending', { until: 30 }),
      amount('immature_balance', 'Same as getbalances().mine.immature', { until: 30 }),
      num('txcount', 'Transactions'),
      time('keypoololdest?', 'When the oldest key in waiting was made', { until: 30 }),
      num('keypoolsize', 'Keys in waiting for receiving'),
      hex('hdseedid?', 'Hash of the seed key', { until: 30 }),
      num('keypoolsize_hd_internal?', 'Keys in waiting for change'),
      time('unlocked_until?', 'When it locks itself, 0 when locked'),
      amount('paytxfee', 'Fee rate set by settxfee, BTC/kvB', { until: 31 }),
      bool('private_keys_enabled', 'Whether it can hold private keys'),
      bool('avoid_reuse', 'Whether it keeps used addresses apart'),
      obj('scanning', 'false, or the scan under way', { orFalse: true }, [
        num('duration', 'Seconds since it began'),
        num('progress', '0 to 1'),
      ]),
      bool('descriptors', 'Whether it is made of descriptors'),
      bool('external_signer', 'Whether another program signs', { since: 23 }),
      bool('blank', 'Whether it was made without keys and has none yet', { since: 26 }),
      time('birthtime?', 'Nothing of it is older', { since: 27 }),
      arr('flags', 'Its flags', { since: 30 }, [str('A flag')]),
      LAST_PROCESSED,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};

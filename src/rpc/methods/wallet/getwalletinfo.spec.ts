// Declares getwalletinfo.
import { LAST_PROCESSED } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const getwalletinfo: MethodSpec = {
  name: 'getwalletinfo',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Tells the state of the wallet.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'walletname', help: 'Its name' },
        { type: 'num', key: 'walletversion', help: 'Its version' },
        { type: 'str', key: 'format', help: 'bdb or sqlite, as Core would store it' },
        { type: 'amount', key: 'balance', until: 30, help: 'Same as getbalances().mine.trusted' },
        { type: 'amount', key: 'unconfirmed_balance', until: 30, help: 'Same as getbalances().mine.untrusted_pending' },
        { type: 'amount', key: 'immature_balance', until: 30, help: 'Same as getbalances().mine.immature' },
        { type: 'num', key: 'txcount', help: 'Transactions' },
        { type: 'num-time', key: 'keypoololdest', until: 30, optional: true, help: 'When the oldest key in waiting was made' },
        { type: 'num', key: 'keypoolsize', help: 'Keys in waiting for receiving' },
        { type: 'hex', key: 'hdseedid', until: 30, optional: true, help: 'Hash of the seed key' },
        { type: 'num', key: 'keypoolsize_hd_internal', optional: true, help: 'Keys in waiting for change' },
        { type: 'num-time', key: 'unlocked_until', optional: true, help: 'When it locks itself, 0 when locked' },
        { type: 'amount', key: 'paytxfee', until: 31, help: 'Fee rate set by settxfee, BTC/kvB' },
        { type: 'bool', key: 'private_keys_enabled', help: 'Whether it can hold private keys' },
        { type: 'bool', key: 'avoid_reuse', help: 'Whether it keeps used addresses apart' },
        {
          type: 'obj',
          orFalse: true,
          key: 'scanning',
          help: 'false, or the scan under way',
          inner: [
            { type: 'num', key: 'duration', help: 'Seconds since it began' },
            { type: 'num', key: 'progress', help: '0 to 1' },
          ],
        },
        { type: 'bool', key: 'descriptors', help: 'Whether it is made of descriptors' },
        { type: 'bool', key: 'external_signer', since: 23, help: 'Whether another program signs' },
        { type: 'bool', key: 'blank', since: 26, help: 'Whether it was made without keys and has none yet' },
        { type: 'num-time', key: 'birthtime', since: 27, optional: true, help: 'Nothing of it is older' },
        { type: 'arr', key: 'flags', since: 30, help: 'Its flags', inner: [{ type: 'str', help: 'A flag' }] },
        LAST_PROCESSED,
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};

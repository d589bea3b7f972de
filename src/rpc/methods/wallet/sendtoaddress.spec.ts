// Declares sendtoaddress.
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG, SEND_RESULTS, VERBOSE_ARG } from '../../declare/spend-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const sendtoaddress: MethodSpec = {
  name: 'sendtoaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Pays an amount to an address. The wallet must be unlocked.',
  args: [
    { name: 'address', type: 'str', help: 'The address' },
    { name: 'amount', type: 'amount', help: 'The amount in BTC' },
    { name: 'comment', type: 'str', optional: true, help: 'What it is for; kept in the wallet, not in the transaction' },
    { name: 'comment_to', type: 'str', optional: true, help: 'Who it is for; kept in the wallet, not in the transaction' },
    {
      name: 'subtractfeefromamount',
      type: 'bool',
      default: 'false',
      help: 'Take the fee from the amount: less arrives than is named here',
    },
    REPLACEABLE_ARG,
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    {
      name: 'avoid_reuse',
      type: 'bool',
      default: 'true',
      help: 'Leave out coins at addresses spent from before (wallets with the avoid_reuse flag only)',
    },
    FEE_RATE_ARG,
    VERBOSE_ARG,
  ],
  results: SEND_RESULTS,
  examples: [
    {
      cli: '"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" 0.1',
      rpc: '"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", 0.1, "donation", "sean\'s outpost"',
    },
    {
      title: 'At 25 sat/vB, replaceable',
      cli: '"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" 0.5 "" "" false true null "unset" null 25',
    },
  ],
  waits: true,
};

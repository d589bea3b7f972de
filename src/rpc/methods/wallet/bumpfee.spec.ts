import { BUMP_ARGS, BUMP_MEMBERS } from '../../declare/bump-parts.js';
import { declare } from '../../declare/parameters.js';
import { hex, obj } from '../../declare/parts.js';

export const bumpfee = declare({
  name: 'bumpfee',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description:
    'Replaces an unconfirmed, replaceable payment of the wallet by one with a higher fee. The fee comes from the\nchange, or from additional coins.\nThe wallet must be unlocked. The payment must have no descendants, and all its inputs must belong to the\nwallet.',
  args: BUMP_ARGS,
  results: [obj([hex('txid', 'The new transaction id'), ...BUMP_MEMBERS])],
  examples: [{ title: 'Pay more', cli: '"txid"' }],
  waits: true,
});

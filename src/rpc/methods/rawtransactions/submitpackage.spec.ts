import { amount, arr, dyn, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const submitpackage: MethodSpec = {
  name: 'submitpackage',
  category: 'rawtransactions',
  runs: 'node',
  checks: 'types',
  description:
    'Hands in a transaction with the unconfirmed transactions that it spends, whose fees then count together:\nparents first, the child last, no parent spending another. Or one transaction.\nWhat can stand alone is taken alone; the rest is taken together or not at all.',
  args: [
    arr('package', 'The transactions as hex, 25 at most', [hex('rawtx?', '')]),
    amount('maxfeerate', 'Refuse transactions above this feerate, in BTC/kvB.\n0 takes any; 1 and more are refused.', { default: '0.10' }),
    amount('maxburnamount', 'Refuse outputs that nobody can spend above this amount, in BTC', { default: '0.00' }),
  ],
  results: [
    obj([
      str('package_msg', '"success", or what is wrong with the package'),
      dyn('tx-results', 'By witness hash', [
        obj('wtxid', '', [
          hex('txid', 'The transaction id'),
          hex('other-wtxid?', 'What the pool has instead: the same with another witness'),
          num('vsize_adjusted?', 'Sigop-adjusted virtual size, when it is in the pool', { since: 32 }),
          num('vsize?', 'The same'),
          num('vsize_bip141?', 'Virtual size (BIP141), when it is in the pool', { since: 32 }),
          obj('fees?', 'When it is in the pool', [
            amount('base', 'The fee in BTC'),
            amount('effective-feerate?', 'The feerate it counted with, in BTC/kvB, unless it was there before'),
            arr('effective-includes?', 'Witness hashes of those that counted together', [hex()]),
          ]),
          str('error?', 'Why it is not in the pool'),
        ]),
      ]),
      arr('replaced-transactions?', 'Ids of transactions that had to go', [hex()]),
    ]),
  ],
  examples: [{ cli: `'["parenthex", "childhex"]'`, rpc: '["parenthex", "childhex"]' }],
};

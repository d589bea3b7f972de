import { declare } from '../../declare/parameters.js';
import { amount, arr, dyn, hex, num, obj, str } from '../../declare/parts.js';

export const submitpackage = declare({
  name: 'submitpackage',
  category: 'rawtransactions',
  runs: 'node',
  checks: 'types',
  description:
    'Submits one transaction, or a child together with its unconfirmed parents, to the mempool. Parents come first\nand the child last. No parent may spend another.\nThe node accepts transactions that are valid alone. It accepts the others together, by their common fee rate,\nor not at all.',
  args: [
    arr('package', 'The transactions as hex, 25 at most', [hex('rawtx?', '')]),
    amount(
      'maxfeerate',
      'Refuse transactions above this fee rate, in BTC/kvB.\n0 accepts any fee rate. Values of 1 and more are not allowed',
      { default: '0.10' },
    ),
    amount('maxburnamount', 'Refuse transactions whose unspendable outputs exceed this amount, in BTC', { default: '0.00' }),
  ],
  results: [
    obj([
      str('package_msg', '"success", or what is wrong with the package'),
      dyn('tx-results', 'Results by wtxid', [
        obj('wtxid', '', [
          hex('txid', 'The transaction id'),
          hex('other-wtxid?', 'wtxid of the transaction with the same txid and another witness that is in the mempool'),
          num('vsize_adjusted?', 'Sigop-adjusted virtual size. Only if the transaction is in the mempool', { since: 32 }),
          num('vsize?', 'The same'),
          num('vsize_bip141?', 'Virtual size (BIP141). Only if the transaction is in the mempool', { since: 32 }),
          obj('fees?', 'Fees. Only if the transaction is in the mempool', [
            amount('base', 'The fee in BTC'),
            amount('effective-feerate?', 'Effective fee rate in BTC/kvB. Absent if the transaction was already in the mempool'),
            arr('effective-includes?', 'wtxids of the transactions whose fees and sizes are part of the effective fee rate', [hex()]),
          ]),
          str('error?', 'Reason why the transaction was not accepted'),
        ]),
      ]),
      arr('replaced-transactions?', 'Ids of the transactions that were replaced', [hex()]),
    ]),
  ],
  examples: [{ cli: `'["parenthex", "childhex"]'`, rpc: '["parenthex", "childhex"]' }],
});

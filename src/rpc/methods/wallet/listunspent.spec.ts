import { IMMATURE_ARG } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';

export const listunspent = declare({
  name: 'listunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns unspent outputs, filtered by confirmations, addresses and amounts.',
  args: [
    num('minconf', 'Minimum number of confirmations', { checked: true, default: '1' }),
    num('maxconf', 'Maximum number of confirmations', { checked: true, default: '9999999' }),
    arr('addresses', 'Return only outputs of these addresses', { checked: true, default: '[]' }, [str('address?', 'An address')]),
    bool('include_unsafe', 'Include outputs that are not safe to spend', { checked: true, default: 'true' }),
    obj('query_options?', 'More filters', { namedMembers: true }, [
      amount('minimumAmount', 'Minimum value of each output', { default: '0' }),
      amount('maximumAmount', 'Maximum value of each output', { default: 'unlimited' }),
      num('maximumCount', 'Maximum number of confirmations', { default: 'unlimited' }),
      amount('minimumSumAmount', 'Minimum sum: return outputs until they reach it', { default: 'unlimited' }),
      { ...IMMATURE_ARG, help: 'Include immature coinbases' },
    ]),
  ],
  results: [
    arr([
      obj([
        hex('txid', 'Transaction'),
        num('vout', 'Output'),
        str('address?', 'Address'),
        str('label?', 'The label'),
        hex('redeemScript?', 'Redeem script'),
        hex('witnessScript?', 'Witness script'),
        hex('scriptPubKey', 'Output script'),
        amount('amount', 'Value in BTC'),
        num('confirmations', 'Confirmations'),
        num('ancestorcount?', 'Number of unconfirmed ancestors, including the transaction. Only for a coin in the mempool', { since: 23 }),
        num('ancestorsize?', 'Sum of their virtual sizes', { since: 23 }),
        num('ancestorfees?', 'Fees of these transactions in satoshis', { since: 23 }),
        bool('spendable', 'Whether the wallet has the private keys'),
        bool('solvable', 'Whether the wallet knows everything except private keys to spend the output'),
        arr('parent_descs?', 'Descriptors of the wallet for the output', { since: 24 }, [str('A descriptor')]),
        bool('reused?', 'Whether the address was spent from before'),
        str('desc?', 'A descriptor of the output script'),
        bool('safe', 'Whether the output is safe to spend'),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 9999999 "[]"', rpc: '6, 9999999, []' },
  ],
});

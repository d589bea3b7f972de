import { IMMATURE_ARG } from '../../declare/history-parts.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listunspent: MethodSpec = {
  name: 'listunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists unspent outputs, filtered by confirmations, addresses and amounts.',
  args: [
    num('minconf', 'At least so many confirmations', { default: '1' }),
    num('maxconf', 'At most so many', { default: '9999999' }),
    arr('addresses', 'Only of these addresses', { default: '[]' }, [str('address?', 'An address')]),
    bool('include_unsafe', 'Also those that cannot be relied on', { default: 'true' }),
    obj('query_options?', 'More filters', { namedMembers: true }, [
      amount('minimumAmount', 'Least value of each', { default: '0' }),
      amount('maximumAmount', 'Greatest value of each', { default: 'unlimited' }),
      num('maximumCount', 'At most so many', { default: 'unlimited' }),
      amount('minimumSumAmount', 'Until they sum up to this', { default: 'unlimited' }),
      { ...IMMATURE_ARG, help: 'Also coinbases that cannot be spent yet' },
    ]),
  ],
  results: [
    arr([
      obj([
        hex('txid', 'Transaction'),
        num('vout', 'Output'),
        str('address?', 'Address'),
        str('label?', 'Its label'),
        hex('redeemScript?', 'Redeem script'),
        hex('witnessScript?', 'Witness script'),
        hex('scriptPubKey', 'Output script'),
        amount('amount', 'Value in BTC'),
        num('confirmations', 'Confirmations'),
        num('ancestorcount?', 'Of a coin in the mempool: unconfirmed ancestors and itself', { since: 23 }),
        num('ancestorsize?', 'Their virtual size', { since: 23 }),
        num('ancestorfees?', 'Their fees in satoshis', { since: 23 }),
        bool('spendable', 'Whether the wallet has the keys'),
        bool('solvable', 'Whether it knows all but the keys'),
        arr('parent_descs?', 'Descriptors of the wallet that it comes from', { since: 24 }, [str('A descriptor')]),
        bool('reused?', 'Whether its address was spent from'),
        str('desc?', 'A descriptor for it'),
        bool('safe', 'Whether it can be relied on'),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 9999999 "[]"', rpc: '6, 9999999, []' },
  ],
};

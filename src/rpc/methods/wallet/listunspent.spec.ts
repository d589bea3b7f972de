// Declares listunspent.
import { IMMATURE_ARG } from '../../declare/history-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listunspent: MethodSpec = {
  name: 'listunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists unspent outputs, filtered by confirmations, addresses and amounts.',
  args: [
    { name: 'minconf', type: 'num', default: '1', help: 'At least so many confirmations' },
    { name: 'maxconf', type: 'num', default: '9999999', help: 'At most so many' },
    {
      name: 'addresses',
      type: 'arr',
      default: '[]',
      help: 'Only of these addresses',
      inner: [{ name: 'address', type: 'str', optional: true, help: 'An address' }],
    },
    { name: 'include_unsafe', type: 'bool', default: 'true', help: 'Also those that cannot be relied on' },
    {
      name: 'query_options',
      type: 'obj',
      namedMembers: true,
      optional: true,
      help: 'More filters',
      inner: [
        { name: 'minimumAmount', type: 'amount', default: '0', help: 'Least value of each' },
        { name: 'maximumAmount', type: 'amount', default: 'unlimited', help: 'Greatest value of each' },
        { name: 'maximumCount', type: 'num', default: 'unlimited', help: 'At most so many' },
        { name: 'minimumSumAmount', type: 'amount', default: 'unlimited', help: 'Until they sum up to this' },
        { ...IMMATURE_ARG, help: 'Also coinbases that cannot be spent yet' },
      ],
    },
  ],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'hex', key: 'txid', help: 'Transaction' },
            { type: 'num', key: 'vout', help: 'Output' },
            { type: 'str', key: 'address', optional: true, help: 'Address' },
            { type: 'str', key: 'label', optional: true, help: 'Its label' },
            { type: 'hex', key: 'redeemScript', optional: true, help: 'Redeem script' },
            { type: 'hex', key: 'witnessScript', optional: true, help: 'Witness script' },
            { type: 'hex', key: 'scriptPubKey', help: 'Output script' },
            { type: 'amount', key: 'amount', help: 'Value in BTC' },
            { type: 'num', key: 'confirmations', help: 'Confirmations' },
            {
              type: 'num',
              key: 'ancestorcount',
              since: 23,
              optional: true,
              help: 'Of a coin in the mempool: unconfirmed ancestors and itself',
            },
            { type: 'num', key: 'ancestorsize', since: 23, optional: true, help: 'Their virtual size' },
            { type: 'num', key: 'ancestorfees', since: 23, optional: true, help: 'Their fees in satoshis' },
            { type: 'bool', key: 'spendable', help: 'Whether the wallet has the keys' },
            { type: 'bool', key: 'solvable', help: 'Whether it knows all but the keys' },
            {
              type: 'arr',
              key: 'parent_descs',
              since: 24,
              optional: true,
              help: 'Descriptors of the wallet that it comes from',
              inner: [{ type: 'str', help: 'A descriptor' }],
            },
            { type: 'bool', key: 'reused', optional: true, help: 'Whether its address was spent from' },
            { type: 'str', key: 'desc', optional: true, help: 'A descriptor for it' },
            { type: 'bool', key: 'safe', help: 'Whether it can be relied on' },
          ],
        },
      ],
    },
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 9999999 "[]"', rpc: '6, 9999999, []' },
  ],
};

// Declares getorphantxs.
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const MEMBERS: readonly ResultSpec[] = [
  { type: 'hex', key: 'txid', help: 'The transaction id' },
  { type: 'hex', key: 'wtxid', help: 'The same with its witness' },
  { type: 'num', key: 'bytes', help: 'Its size in bytes' },
  { type: 'num', key: 'vsize', help: 'Its virtual size (BIP-0141)' },
  { type: 'num', key: 'vsize_bip141', since: 32, help: 'The same' },
  { type: 'num', key: 'weight', help: 'Its weight (BIP-0141)' },
  { type: 'arr', key: 'from', help: '', inner: [{ type: 'num', help: 'Number of a peer that announced it' }] },
];

export const getorphantxs: MethodSpec = {
  name: 'getorphantxs',
  since: 29,
  category: 'hidden',
  runs: 'node',
  description: 'Transactions of peers that wait for their parents.',
  args: [
    {
      name: 'verbosity',
      type: 'num',
      default: '0',
      anyType: true,
      help: '0 for transaction ids, of which some may be there twice, 1 for objects, 2 for objects with the transaction as hex',
    },
  ],
  results: [
    { type: 'arr', when: 'for verbose = 0', help: '', inner: [{ type: 'hex', key: 'txid', help: 'The transaction id' }] },
    { type: 'arr', when: 'for verbose = 1', help: '', inner: [{ type: 'obj', help: '', inner: MEMBERS }] },
    {
      type: 'arr',
      when: 'for verbose = 2',
      help: '',
      inner: [{ type: 'obj', help: '', inner: [...MEMBERS, { type: 'hex', key: 'hex', help: 'The transaction with its witness' }] }],
    },
  ],
  examples: [{ cli: '2', rpc: '2' }],
};

// Declares getblock.
import { HEADER_MEMBERS, HEADER_TAIL, spendingMembers, TX_MEMBERS } from '../../declare/members.js';
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const SIZES: readonly ResultSpec[] = [
  { type: 'num', key: 'strippedsize', help: 'Bytes without witness' },
  { type: 'num', key: 'size', help: 'Bytes' },
  { type: 'num', key: 'weight', help: 'Weight (BIP141)' },
];

const COINBASE: ResultSpec = {
  type: 'obj',
  key: 'coinbase_tx',
  since: 31,
  help: 'What the coinbase says besides its outputs',
  inner: [
    { type: 'num', key: 'version', help: 'Version' },
    { type: 'num', key: 'locktime', help: 'Lock time' },
    { type: 'num', key: 'sequence', help: 'Sequence number' },
    { type: 'hex', key: 'coinbase', help: 'Its script' },
    { type: 'hex', key: 'witness', optional: true, help: 'Its first witness item' },
  ],
};

const blockMembers = (transaction: ResultSpec, help = ''): readonly ResultSpec[] => [
  { type: 'hex', key: 'hash', help: 'The block hash' },
  { type: 'num', key: 'confirmations', help: 'Confirmations, -1 off the best chain' },
  ...SIZES.map((member) => ({ ...member, until: 22 })),
  ...HEADER_MEMBERS,
  { type: 'arr', key: 'tx', until: 22, help, inner: [transaction] },
  ...HEADER_TAIL,
  ...SIZES.map((member) => ({ ...member, since: 22 })),
  COINBASE,
  { type: 'arr', key: 'tx', since: 22, help, inner: [transaction] },
];

const HEX: ResultSpec = { type: 'hex', key: 'hex', help: 'The transaction' };
const FEE: ResultSpec = {
  type: 'amount',
  key: 'fee',
  since: 22,
  optional: true,
  help: 'The fee in BTC, unless it is the coinbase or what it spent was deleted (pruned)',
};

export const getblock: MethodSpec = {
  name: 'getblock',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description:
    'A block: as hex with verbosity 0, as an object with transaction ids with 1, with whole transactions with 2,\nand with what their inputs spend with 3.',
  args: [
    { name: 'blockhash', type: 'hex', help: 'The block hash' },
    {
      name: 'verbosity|verbose',
      type: 'num',
      anyType: true,
      default: '1',
      help: '0 for hex, 1 for an object, 2 for an object with transactions, 3 with what they spend',
    },
  ],
  results: [
    { type: 'hex', when: 'for verbosity = 0', help: 'The block' },
    {
      type: 'obj',
      when: 'for verbosity = 1',
      help: '',
      inner: blockMembers({ type: 'hex', help: 'An id' }, 'Transaction ids'),
    },
    {
      type: 'obj',
      when: 'for verbosity = 2',
      help: '',
      inner: [
        {
          type: 'elision',
          help: 'As for verbosity = 1, with whole transactions in "tx", as from getrawtransaction, verbose',
          of: blockMembers({ type: 'obj', help: '', inner: [...TX_MEMBERS, FEE, HEX] }),
        },
      ],
    },
    {
      type: 'obj',
      when: 'for verbosity = 3',
      since: 23,
      help: '',
      inner: [
        {
          type: 'elision',
          help: 'As for verbosity = 2, with "prevout" in each input that spends something',
          of: blockMembers({ type: 'obj', help: '', inner: [...spendingMembers(23), FEE, HEX] }),
        },
      ],
    },
  ],
  examples: [
    {
      cli: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"',
      rpc: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"',
    },
  ],
};

import type { NodeRun } from '../../context/node.js';
import { HEADER_MEMBERS, HEADER_TAIL, spendingMembers, TX_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, elision, hash, hex, num, obj } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';
import { notFound, verbosityOf } from '../../node/lookup.js';
import { blockRead } from '../../node/read-facts.js';

const SIZES: readonly ResultSpec[] = [num('strippedsize', 'Bytes without witness'), num('size', 'Bytes'), num('weight', 'Weight (BIP141)')];

const COINBASE: ResultSpec = obj('coinbase_tx', 'The coinbase without its outputs', { since: 31 }, [
  num('version', 'Version'),
  num('locktime', 'Lock time'),
  num('sequence', 'Sequence number'),
  hex('coinbase', 'The script of the input'),
  hex('witness?', 'The first witness item'),
]);

const blockMembers = (transaction: ResultSpec, help = ''): readonly ResultSpec[] => [
  hex('hash', 'The block hash'),
  num('confirmations', 'Confirmations, -1 off the best chain'),
  ...SIZES.map((member) => ({ ...member, until: 22 })),
  ...HEADER_MEMBERS,
  arr('tx', help, { until: 22 }, [transaction]),
  ...HEADER_TAIL,
  ...SIZES.map((member) => ({ ...member, since: 22 })),
  COINBASE,
  arr('tx', help, { since: 22 }, [transaction]),
];

const HEX: ResultSpec = hex('hex', 'The transaction');
const FEE: ResultSpec = amount('fee?', 'The fee in BTC. Absent for the coinbase, and if the undo data was pruned', { since: 22 });

export const spec = declare({
  name: 'getblock',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description:
    'Returns a block. With verbosity 0 it is hex, with 1 an object with transaction ids, with 2 an object with\nwhole transactions. With 3 it also has the outputs that the inputs spend.',
  args: [
    hash('blockhash', 'The block hash'),
    num('verbosity|verbose', '0 for hex, 1 for an object, 2 for an object with transactions, 3 also with the outputs that they spend', {
      anyType: true,
      default: '1',
    }),
  ],
  results: [
    hex('The block', { when: 'for verbosity = 0' }),
    obj({ when: 'for verbosity = 1' }, blockMembers(hex('A transaction id'), 'Transaction ids')),
    obj({ when: 'for verbosity = 2' }, [
      elision('As for verbosity = 1, with whole transactions in "tx", as getrawtransaction returns them with verbose = true', {
        of: blockMembers(obj([...TX_MEMBERS, FEE, HEX])),
      }),
    ]),
    obj({ when: 'for verbosity = 3', since: 23 }, [
      elision('As for verbosity = 2, with "prevout" in each input that spends an output', {
        of: blockMembers(obj([...spendingMembers(23), FEE, HEX])),
      }),
    ]),
  ],
  examples: [
    {
      cli: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"',
      rpc: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"',
    },
  ],
});

export const getblock: NodeRun<typeof spec> = (params, ctx) => {
  const { blockhash: hash } = params;
  const verbosity = verbosityOf(ctx, params.verbosity, 1);
  return blockRead(ctx, ctx.chain.node(hash) ?? notFound(), verbosity);
};

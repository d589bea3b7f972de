import type { NodeRun } from '../../context/node.js';
import { ENTRY_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, dyn, hex, num, obj } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'getrawmempool',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the ids of all transactions in the mempool.',
  args: [
    bool('verbose', 'true for an object of entries, false for a list of ids', { default: 'false' }),
    bool('mempool_sequence', 'With verbose = false: return an object with the list and the sequence number of the mempool', {
      default: 'false',
    }),
  ],
  results: [
    arr({ when: 'for verbose = false' }, [hex('A transaction id')]),
    dyn({ when: 'for verbose = true' }, [obj('transactionid', '', ENTRY_MEMBERS)]),
    obj({ when: 'for verbose = false and mempool_sequence = true' }, [
      arr('txids', '', [hex('A transaction id')]),
      num('mempool_sequence', 'The sequence number of the mempool'),
    ]),
  ],
  examples: [{ cli: 'true', rpc: 'true' }],
});

export const getrawmempool: NodeRun<typeof spec> = async ({ verbose, mempool_sequence: withSequence }, ctx) => {
  await ctx.mempool.settled();
  if (verbose && withSequence) fail(RPC_CODE.INVALID_PARAMETER, 'Verbose results cannot contain mempool sequence values.');
  return ctx.mempoolTexts.whole(verbose ? 'entries' : withSequence ? 'sequence' : 'ids');
};

import { asBool } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { JsonObject } from '../../wire/values.js';

export const spec = declare({
  name: 'importmempool',
  category: 'blockchain',
  runs: 'node',
  since: 26,
  description:
    'Imports the transactions of a mempool.dat file of this node or of Bitcoin Core into the mempool. Do not import\ntimes, fee deltas and the set of unbroadcast transactions from a file that you do not trust.',
  args: [
    str('filepath', 'The file'),
    obj('options?', '', { oneline: 'options', namedMembers: true }, [
      bool('use_current_time', 'Use the current time instead of the times in the file', { default: 'true' }),
      bool('apply_fee_delta_priority', 'Add the fee deltas of the file to the existing ones', { default: 'false' }),
      bool('apply_unbroadcast_set', 'Announce again the transactions that no peer had requested according to the file', {
        default: 'false',
      }),
    ]),
  ],
  results: [obj()],
  examples: [{ cli: '/path/to/mempool.dat', rpc: '"/path/to/mempool.dat"' }],
  waits: true,
});

export const importmempool: NodeRun<typeof spec> = async (params, ctx) => {
  const { filepath: file } = params;
  const options = params.options ?? new JsonObject([], []);
  if (ctx.chain.isInitialBlockDownload()) {
    fail(RPC_CODE.CLIENT_IN_INITIAL_DOWNLOAD, 'Can only import the mempool after the block download and sync is done.');
  }
  const option = (name: string, byDefault: boolean): boolean => {
    const value = options.get(name) ?? null;
    return value === null ? byDefault : asBool(value);
  };
  const read = await ctx.importPool(file, {
    currentTime: option('use_current_time', true),
    feeDeltas: option('apply_fee_delta_priority', false),
    unbroadcast: option('apply_unbroadcast_set', false),
  });
  if (!read) fail(RPC_CODE.MISC_ERROR, 'Unable to import mempool file, see debug log for details.');
  return {};
};

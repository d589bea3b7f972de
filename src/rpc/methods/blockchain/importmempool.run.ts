import { asBool } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { JsonObject } from '../../wire/values.js';
import type { importmempool as spec } from './importmempool.spec.js';

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

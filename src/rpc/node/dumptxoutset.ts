// dumptxoutset: all unspent outputs into a file, in the form of Core 0.21.1 (rpc/blockchain.cpp).
import { existsSync } from 'node:fs';
import path from 'node:path';
import { DumpStoppedError } from '../../chain/coins-dump.js';
import { asString } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from './context.js';

export const dumptxoutset: Run<NodeContext> = async (ctx, args) => {
  const file = path.resolve(ctx.folder, asString(args[0]));
  if (existsSync(file)) {
    fail(RPC_CODE.INVALID_PARAMETER, `${file} already exists. If you are sure this is what you want, move it out of the way first`);
  }
  const dump = await ctx.chain.dumpCoins(file).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof DumpStoppedError) return fail(RPC_CODE.CLIENT_NOT_CONNECTED, 'Shutting down');
    if (typeof error.syscall !== 'string') throw error;
    return fail(RPC_CODE.INVALID_PARAMETER, `Couldn't write ${file}.incomplete: ${error.message}`);
  });
  if (dump === null) return fail(RPC_CODE.MISC_ERROR, 'A dump of the unspent outputs is being written. Wait for its end');
  return { coins_written: dump.coins, base_hash: dump.tip.hashHex, base_height: dump.tip.height, path: file };
};

// Writes all unspent outputs at the tip to a file, in the format of Core 0.21.1 or of releases since 28. Core:
// rpc/blockchain.cpp.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { DumpStoppedError } from '../../../chain/index.js';
import { follows, only } from '../../../policy/compat.js';
import { asObject, asString } from '../../args.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, hex, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { blockAt } from '../../node/lookup.js';
import { hashHex } from '../../render/hex.js';
import { JsonObject, type JsonValue } from '../../wire/values.js';

export const spec = declare({
  name: 'dumptxoutset',
  category: 'hidden',
  moved: { since: 26, category: 'blockchain' },
  runs: 'node',
  description: 'Writes all unspent outputs to a file, as they are at the tip when the call begins. The file must not exist.',
  args: [
    str('path', 'The file. A relative path is relative to the network folder'),
    str('type', '"latest": the coins at the tip', { as: 'json', since: 29, default: '""' }),
    obj('options?', '', { as: 'json', since: 29, namedMembers: true }, [
      num('rollback?', 'The block whose coins to write. Only the tip is possible', { anyType: true, typeWords: 'string or numeric' }),
      bool('in_memory', 'Accepted without effect', { since: 32, default: 'false' }),
    ]),
  ],
  results: [
    obj([
      num('coins_written', 'Unspent outputs in the file'),
      hex('base_hash', 'Hash of the block of the snapshot'),
      num('base_height', 'Its height'),
      str('path', 'Absolute path of the file'),
      hex('txoutset_hash', 'Hash of the coins', { since: 23 }),
      num('nchaintx', 'Number of transactions in the chain up to that block', { since: 23 }),
    ]),
  ],
  examples: [{ cli: 'utxo.dat latest' }],
  waits: true,
});

/** The first release that requires the type argument. */
const TYPED_RELEASE = 29;

/** The first release that writes the newer format. */
const FORM_RELEASE = 28;

/** Rejects types other than a dump of the tip. */
function checkType(ctx: NodeContext, typed: JsonValue | undefined, given: JsonValue | undefined): void {
  const type = (typed ?? null) === null ? '' : asString(typed);
  const options = (given ?? null) === null ? new JsonObject([], []) : asObject(given);
  const rollback = options.get('rollback') ?? null;
  if (rollback !== null) {
    if (type !== '' && type !== 'rollback') {
      fail(RPC_CODE.INVALID_PARAMETER, `Invalid snapshot type "${type}" specified with rollback option`);
    }
    if (blockAt(ctx, rollback) !== ctx.chain.tip) fail(RPC_CODE.MISC_ERROR, 'Only the coins at the tip can be written');
    return;
  }
  if (type === 'latest' || (type === '' && !only(ctx.compat, TYPED_RELEASE))) return;
  if (type === 'rollback') fail(RPC_CODE.MISC_ERROR, 'Only the coins at the tip can be written');
  fail(RPC_CODE.INVALID_PARAMETER, `Invalid snapshot type "${type}" specified. Please specify "rollback" or "latest"`);
}

export const dumptxoutset: NodeRun<typeof spec> = async (params, ctx) => {
  const { path: text } = params;
  checkType(ctx, params.type, params.options);
  const file = path.resolve(ctx.folder, text);
  if (existsSync(file)) {
    fail(RPC_CODE.INVALID_PARAMETER, `${file} already exists. If you are sure this is what you want, move it out of the way first`);
  }
  const form = follows(ctx.compat, FORM_RELEASE) ? '28' : '0.21';
  const dump = await ctx.coins.dumpCoins(file, form).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof DumpStoppedError) return fail(RPC_CODE.CLIENT_NOT_CONNECTED, 'Shutting down');
    if (typeof error.syscall !== 'string') throw error;
    if (follows(ctx.compat, TYPED_RELEASE)) return fail(RPC_CODE.INVALID_PARAMETER, `Couldn't open file ${file}.incomplete for writing.`);
    return fail(RPC_CODE.INVALID_PARAMETER, `Couldn't write ${file}.incomplete: ${error.message}`);
  });
  if (dump === null) return fail(RPC_CODE.MISC_ERROR, 'A dump of the unspent outputs is being written. Wait for its end');
  const { tip, coins, hash } = dump;
  return {
    coins_written: coins,
    base_hash: tip.hashHex,
    base_height: tip.height,
    path: file,
    txoutset_hash: hash === null ? undefined : hashHex(hash),
    nchaintx: hash === null ? undefined : tip.chainTxCount,
  };
};

// decodepsbt, combinepsbt and joinpsbts: the calls about PSBTs that need neither keys nor coins. Core 0.21:
// rpc/rawtransaction.cpp.
import { randomInt } from 'node:crypto';
import { follows } from '../../policy/compat.js';
import { combinePsbts } from '../../psbt/combine-psbts.js';
import { joinPsbts } from '../../psbt/join-psbts.js';
import type { Psbt } from '../../psbt/psbt.js';
import { asArray, asString, checkTypes } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { psbtMembers } from '../render/psbt.js';
import { asPsbt, psbtText } from '../render/psbt-text.js';
import type { JsonValue } from '../wire/values.js';
import type { NodeContext } from './context.js';
import { renderContext } from './lookup.js';
import { Slicer } from './slices.js';

export const decodepsbt: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['string']);
  const pauses = new Slicer(call.breathe);
  const psbt = await asPsbt(args[0], ctx, pauses);
  return psbtMembers(psbt, renderContext(ctx), pauses);
};

async function asPsbts(ctx: NodeContext, list: readonly JsonValue[], call: CallInfo): Promise<Psbt[]> {
  const pauses = new Slicer(call.breathe);
  const psbts: Psbt[] = [];
  for (const text of list) {
    psbts.push(await asPsbt(asString(text), ctx, pauses));
    if (pauses.due) await pauses.pause();
  }
  return psbts;
}

export const combinepsbt: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['array'], true);
  const list = asArray(args[0]);
  if (list.length === 0) fail(RPC_CODE.INVALID_PARAMETER, "Parameter 'txs' cannot be empty");
  const combined = combinePsbts(await asPsbts(ctx, list, call));
  return combined
    ? psbtText(combined, ctx.crypto, ctx.compat)
    : fail(RPC_CODE.INVALID_PARAMETER, 'PSBTs not compatible (different transactions)');
};

/** Every number below the count once, in an order nobody can guess (Fisher and Yates). */
function shuffled(count: number): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const other = randomInt(i + 1);
    [order[i], order[other]] = [order[other], order[i]];
  }
  return order;
}

export const joinpsbts: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['array'], true);
  const list = asArray(args[0]);
  if (list.length <= 1) fail(RPC_CODE.INVALID_PARAMETER, 'At least two PSBTs are required to join PSBTs.');
  const psbts = await asPsbts(ctx, list, call);
  if (follows(ctx.compat, 32) && psbts.some(({ version2 }) => version2 !== null)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'joinpsbts only operates on version 0 PSBTs');
  }
  const joined = joinPsbts(psbts, shuffled, ctx.crypto);
  if ('repeated' in joined) return fail(RPC_CODE.INVALID_PARAMETER, `Input ${joined.repeated} exists in multiple PSBTs`);
  return psbtText(joined, ctx.crypto, ctx.compat);
};

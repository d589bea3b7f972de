// Explains why a transaction is or is not in the template that clients get. Only the verdict "confirmed" needs to wait,
// because it searches for a coin.

import type { TxOutcome } from '../../../mempool/index.js';
import type { TemplateVerdict, VerdictTemplate } from '../../../template/index.js';
import { longPollId } from '../../../template/render-template.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { hashHex } from '../../render/hex.js';
import { Double, type JsonResult } from '../../wire/values.js';
import type { gettemplateverdict as spec } from './gettemplateverdict.spec.js';

/** Weight of 1,000 virtual bytes. */
const KVB_WEIGHT = 4_000;

/** Number of outputs that are searched to recognise a confirmed transaction. */
const OUTPUTS_CHECKED = 4;

type Members = Record<string, JsonResult | undefined>;

const rate = (fee: number, size: number): Members => ({ fee, weight: size, feerate: new Double((fee * KVB_WEIGHT) / size) });

/** Returns the figures that explain a verdict. */
function figures(verdict: TemplateVerdict, template: VerdictTemplate): Members {
  if (verdict.verdict === 'included') return { position: verdict.position };
  const pack = 'pack' in verdict ? verdict.pack : undefined;
  if (pack === undefined) return {};
  const { cut, maxWeight, weight, maxSigops, sigops } = template;
  return {
    package: { txids: pack.txids.map(hashHex), ...rate(pack.fee, pack.size) },
    cut: cut === null ? undefined : rate(cut.fee, cut.size),
    missing: verdict.verdict === 'below-cut' ? verdict.missingSats : undefined,
    room: { weight: maxWeight - weight, sigops: maxSigops - sigops },
  };
}

/** Returns the verdict on a transaction that is neither in the template nor in the mempool. */
async function absent(ctx: NodeContext, txid: Uint8Array): Promise<Members> {
  const fate = ctx.mempool.recentOutcome(txid);
  if (fate !== undefined) return outcomeMembers(ctx, fate);
  const outpoints = Array.from({ length: OUTPUTS_CHECKED }, (_, index) => {
    const outpoint = new Uint8Array(36);
    outpoint.set(txid);
    outpoint[32] = index;
    return outpoint;
  });
  const coins = await ctx.coins.coinsAt(outpoints);
  return { verdict: coins.some((coin) => coin !== undefined) ? 'confirmed' : 'unknown' };
}

function outcomeMembers({ mempool }: NodeContext, { kind, reason, debug, time, rivals }: TxOutcome): Members {
  // Show only rivals that are still in the mempool. Rivals that have left it no longer conflict.
  const here = rivals.filter((txid) => mempool.get(txid) !== undefined).map(hashHex);
  const details = debug === '' ? undefined : debug;
  if (kind === 'left') return { verdict: 'left', reason, replacedby: rivals.length > 0 ? hashHex(rivals[0]) : undefined, time };
  if (here.length === 0) return { verdict: 'refused', reason, details, time };
  return { verdict: 'conflict', reason, details, conflicts: here, time };
}

export const gettemplateverdict: NodeRun<typeof spec> = async ({ txid }, ctx) => {
  const found = ctx.templates.verdict(txid);
  if (found === null) {
    if (ctx.mempool.get(txid) !== undefined) return { verdict: 'no-template' };
    return absent(ctx, txid);
  }
  const { facts, verdict, template } = found;
  const about = {
    template: { longpollid: longPollId(facts), height: facts.height, transactions: facts.txCount, weight: facts.weight },
  };
  if (verdict.verdict === 'absent') return { ...(await absent(ctx, txid)), ...about };
  const reason = 'reason' in verdict ? verdict.reason : undefined;
  return { verdict: verdict.verdict, reason, ...figures(verdict, template), ...about };
};

// Explains why a transaction is or is not in the template that clients get. Only the verdict "confirmed" needs to wait,
// because it searches for a coin.

import type { TxOutcome } from '../../../mempool/index.js';
import type { TemplateVerdict, VerdictTemplate } from '../../../template/index.js';
import { longPollId } from '../../../template/render-template.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hash, hex, num, obj, str, time } from '../../declare/parts.js';
import { hashHex } from '../../render/hex.js';
import { Double, type JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'gettemplateverdict',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Returns why a transaction is or is not in the current template of getblocktemplate (not in Bitcoin Core). The\ncall compares the transaction with the template. It builds nothing and does not wait.',
  args: [hash('txid', 'The transaction')],
  results: [
    obj([
      str(
        'verdict',
        '"included", "pending" (the next template decides), "below-cut" (pays less than the last selected package), "no-room" (pays enough\nand does not fit), "filtered" (left out because of a rule), "large-cluster" (has too many relatives), "refused" (by the mempool),\n"conflict" (refused because of a transaction in the mempool), "left" (the mempool), "confirmed", "unknown", "no-template"',
      ),
      str(
        'reason?',
        'pending: "empty-template", "newer", "changed"; filtered: "non-final", "premature-witness", "blockmintxfee", "prioritised"; no-room:\n"weight", "sigops"; refused and conflict: the reject reason; left: "expiry", "sizelimit", "reorg", "conflict", "replaced"',
      ),
      str('details?', 'More about the reject reason'),
      num('position?', 'included: position in the block. The coinbase is 0'),
      obj('package?', 'The package with which the transaction would be selected, without transactions that are in the template', [
        arr('txids', '', [hex('Parents first')]),
        num('fee', 'Modified fees in satoshis'),
        num('weight', 'Weight, adjusted for signature operations'),
        num('feerate', 'Satoshis per 1,000 virtual bytes; exactly: 4000 * fee / weight'),
      ]),
      obj('cut?', 'The lowest fee rate at which the template has a package', [
        num('fee', 'Modified fees in satoshis'),
        num('weight', 'Weight, adjusted for signature operations'),
        num('feerate', 'Satoshis per 1,000 virtual bytes'),
      ]),
      num('missing?', 'below-cut: additional satoshis that would reach the cut'),
      obj('room?', 'Space that is left in the block', [num('weight', ''), num('sigops', 'Signature operation cost')]),
      arr('conflicts?', 'Transactions of the mempool that spend the same coins', [hex()]),
      hex('replacedby?', 'left: the replacement'),
      time('time?', 'refused, conflict, left: time of the event'),
      obj('template?', 'The template that was compared', [
        str('longpollid', 'The longpollid of the template'),
        num('height', 'Height of the block to be built'),
        num('transactions', 'Number of transactions in the template'),
        num('weight', 'Weight of the template, including -blockreservedweight'),
      ]),
    ]),
  ],
  examples: [{ cli: '"txid"', rpc: '"txid"' }],
});

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

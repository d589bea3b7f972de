// Blocks without proof of work: getblocktemplate's proposals, and checkdeclaredblock, which takes wtxids where a
// proposal takes transactions. A block whose transactions are all in the mempool is checked without their coins and
// scripts (chain/connect/known-block.ts); what that cannot vouch for goes the whole way, so that both calls have the same
// words.
import type { BlockView } from '../../consensus/block/block-view.js';
import type { HeaderView } from '../../consensus/block/header-view.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { NodeContext } from '../context/node.js';

export const ID_BYTES = 32;

/** BIP-0022's word for a verdict: null when valid. */
export const verdictWord = (reject: Reject | null): string | null => (reject ? reject.reason || 'rejected' : null);

/** What is said of a block before anything but its header is looked at; null when it would be the next. */
export function placeWord({ chain }: NodeContext, header: HeaderView): string | null {
  const known = chain.known(header.hash);
  if (known !== 'unknown') return known;
  return equalBytes(header.prevHash, chain.tip.hash) ? null : 'inconclusive-not-best-prevblk';
}

/** Whether header, coinbase and transactions of the mempool make a valid block. */
export async function isKnownValid(
  { chain, mempool }: NodeContext,
  header: HeaderView,
  coinbase: TxView,
  wtxids: Uint8Array,
): Promise<boolean> {
  // Both look at the same tip: nothing is awaited between them.
  const known = mempool.known(wtxids);
  return known !== null && (await chain.isKnownValid(header, coinbase, known));
}

export async function fullVerdict(ctx: NodeContext, block: BlockView): Promise<string | null> {
  return verdictWord(await ctx.chain.testBlockValidity(block, { checkPow: false, checkMerkle: true }));
}

/** Checks a block without proof of work; nothing is kept. */
export async function propose(ctx: NodeContext, block: BlockView): Promise<string | null> {
  const early = placeWord(ctx, block.header);
  if (early !== null) return early;
  const [coinbase, ...rest] = block.txs;
  if (coinbase !== undefined && ctx.mempool.size >= rest.length) {
    const wtxids = new Uint8Array(rest.length * ID_BYTES);
    for (const [i, tx] of rest.entries()) wtxids.set(tx.wtxid, i * ID_BYTES);
    if (await isKnownValid(ctx, block.header, coinbase, wtxids)) return null;
  }
  return fullVerdict(ctx, block);
}

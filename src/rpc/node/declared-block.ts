// Checks blocks without proof of work: proposals of getblocktemplate, and checkdeclaredblock, which takes wtxids where
// a proposal has transactions. A block whose transactions are all in the mempool is checked without reading their coins
// or running their scripts (chain/connect/known-block.ts). If that check does not succeed, the block is checked
// completely, so that both methods give the same reasons.
import type { BlockView } from '../../consensus/block/block-view.js';
import type { HeaderView } from '../../consensus/block/header-view.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { NodeContext } from '../context/node.js';

export const ID_BYTES = 32;

/** Returns BIP-0022's reject reason for a verdict; null if the block is valid. */
export const verdictWord = (reject: Reject | null): string | null => (reject ? reject.reason || 'rejected' : null);

/** Returns the BIP-0022 reply that the header alone decides; null if the block extends the tip. */
export function placeWord({ chain }: NodeContext, header: HeaderView): string | null {
  const known = chain.known(header.hash);
  if (known !== 'unknown') return known;
  return equalBytes(header.prevHash, chain.tip.hash) ? null : 'inconclusive-not-best-prevblk';
}

/** Returns whether a header, a coinbase, and transactions of the mempool form a valid block. False: unknown. */
export async function isKnownValid(
  { chain, mempool }: NodeContext,
  header: HeaderView,
  coinbase: TxView,
  wtxids: Uint8Array,
): Promise<boolean> {
  // The mempool and the chain use the same tip, because nothing is awaited between the two calls.
  const known = mempool.known(wtxids);
  return known !== null && (await chain.isKnownValid(header, coinbase, known));
}

export async function fullVerdict(ctx: NodeContext, block: BlockView): Promise<string | null> {
  return verdictWord(await ctx.chain.testBlockValidity(block, { checkPow: false, checkMerkle: true }));
}

/** Checks a block without proof of work, and stores nothing. @returns reject reason, or null if the block is valid */
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

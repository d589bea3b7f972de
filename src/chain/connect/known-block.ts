// Whether a block of transactions that the mempool holds would be valid on the tip: for declared jobs and proposals,
// without their coins and scripts. What consensus asks of each transaction in the block after the tip the mempool has
// checked when it took it in, and keeps true as the tip moves; left are the header, the coinbase, and what the
// transactions come to together. The answer is yes or "not known": for everything but a valid block the whole check
// (block-validity.ts) has the words.

import { HEADER_SIZE, type HeaderView } from '../../consensus/block/header-view.js';
import { rootOverBranch, witnessCommitmentIndex } from '../../consensus/block/merkle.js';
import { compactSizeLength } from '../../consensus/bytes/compact-size.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { outpointOf } from '../../consensus/connect.js';
import type { HeaderContext } from '../../consensus/header-context.js';
import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT, moneyRange, WITNESS_SCALE_FACTOR } from '../../consensus/limits.js';
import { enforceBip30 } from '../../consensus/rules/bip30.js';
import { blockScriptFlags } from '../../consensus/rules/block-script-flags.js';
import { checkHeaderContext } from '../../consensus/rules/check-header-context.js';
import { checkTransaction, outputTotal } from '../../consensus/rules/check-transaction.js';
import { cleanupEnforced } from '../../consensus/rules/cleanup/enforced.js';
import { checkCoinbaseHeight, checkCommitment } from '../../consensus/rules/contextual-check-block.js';
import { isFinalTx } from '../../consensus/rules/locks.js';
import { blockSubsidy } from '../../consensus/rules/subsidy.js';
import { STANDARD_SCRIPT_FLAGS } from '../../consensus/script/flags.js';
import { legacySigops } from '../../consensus/script/sigops.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { HeaderNode } from '../tree/header-node.js';
import { lastCheckpointHeight } from './accept.js';
import type { ChainWorkspace } from './workspace.js';

/** Coins looked for at a time. */
const OUTPOINTS = 2_000;

/** Hashes over a list of transactions; the same object for the same list. */
export interface KnownRoots {
  /** Siblings from the coinbase's txid up to the merkle root. */
  readonly branch: readonly Uint8Array[];
  /** Root over the wtxids, with zeros for the coinbase. */
  readonly witnessRoot: Uint8Array;
}

/**
 * Different transactions that are in the mempool, in block order, parents before their children: each passes, in the
 * block after the tip, every rule that concerns it alone or its coins, its scripts under STANDARD_SCRIPT_FLAGS.
 */
export interface KnownTransactions {
  /** The tip that the mempool fits. */
  readonly tip: HeaderContext;
  readonly count: number;
  /** Base fees, satoshis. */
  readonly fees: number;
  /** BIP-0141 cost. */
  readonly sigopCost: number;
  /** Bytes with and without witnesses. */
  readonly totalSize: number;
  readonly strippedSize: number;
  readonly hasWitness: boolean;
  /** Highest lock by height and by time that counts; 0 for none. */
  readonly lockHeight: number;
  readonly lockTime: number;
  /** Hashed when asked for. */
  roots(): KnownRoots;
  /** The transactions themselves, in place. */
  txs(): Iterable<TxView>;
}

/** Lists of which no output is an unspent coin already (BIP-0030), with the tip of which that is known. */
const withoutTwins = new WeakMap<KnownRoots, HeaderNode>();

/**
 * Whether header, coinbase and these transactions are a valid block on the tip, but for its proof of work. False: not
 * known.
 */
export async function isKnownValid(ws: ChainWorkspace, header: HeaderView, coinbase: TxView, known: KnownTransactions): Promise<boolean> {
  const tip = ws.active.tip as HeaderNode;
  if (known.tip !== tip || !equalBytes(header.prevHash, tip.hash)) return false;
  if (!rulesAreThePools(ws, header, tip) || !headerFits(ws, header, tip)) return false;
  if (!coinbaseFits(ws, header, coinbase, tip) || !sumsFit(ws, header, coinbase, known, tip)) return false;
  const roots = known.roots();
  if (!equalBytes(rootOverBranch(coinbase.txid, roots.branch, ws.crypto), header.merkleRoot)) return false;
  const commitment = witnessCommitmentIndex(coinbase);
  if (
    commitment < 0
      ? known.hasWitness || coinbase.hasWitness
      : checkCommitment(coinbase, commitment, () => roots.witnessRoot, ws.crypto) !== null
  )
    return false;
  return !enforceBip30(tip, header.hash, ws.params) || noTwins(ws, coinbase, known, roots, tip);
}

/** Whether a block has to satisfy no more than what the mempool asks of transactions. */
function rulesAreThePools(ws: ChainWorkspace, header: HeaderView, tip: HeaderNode): boolean {
  const { params, versionBits } = ws;
  if (tip.height + 1 < params.segwitHeight || cleanupEnforced(tip, params, versionBits)) return false;
  return (blockScriptFlags(tip, header.hash, params, versionBits) & ~STANDARD_SCRIPT_FLAGS) === 0;
}

function headerFits(ws: ChainWorkspace, header: HeaderView, tip: HeaderNode): boolean {
  return checkHeaderContext(header, tip, ws.params, ws.clock.nowSeconds(), lastCheckpointHeight(ws), ws.versionBits) === null;
}

/** The time that locks are compared with (BIP-0113). The mempool takes the earlier one always. */
function lockCutoff(ws: ChainWorkspace, header: HeaderView, tip: HeaderNode): number {
  return tip.height + 1 >= ws.params.csvHeight ? tip.medianTimePast() : header.time;
}

function coinbaseFits(ws: ChainWorkspace, header: HeaderView, coinbase: TxView, tip: HeaderNode): boolean {
  if (!coinbase.isCoinbase || checkTransaction(coinbase) !== null) return false;
  const height = tip.height + 1;
  return isFinalTx(coinbase, height, lockCutoff(ws, header, tip)) && checkCoinbaseHeight(coinbase, height, ws.params) === null;
}

/** Sizes, signature operations, lock times and money. */
function sumsFit(ws: ChainWorkspace, header: HeaderView, coinbase: TxView, known: KnownTransactions, tip: HeaderNode): boolean {
  const height = tip.height + 1;
  if (known.lockHeight >= height || known.lockTime >= lockCutoff(ws, header, tip)) return false;
  const count = known.count + 1;
  const around = HEADER_SIZE + compactSizeLength(count);
  const strippedSize = around + coinbase.strippedSize + known.strippedSize;
  // The limit of the size without witnesses is a part of this.
  const totalSize = around + coinbase.totalSize + known.totalSize;
  if (strippedSize * (WITNESS_SCALE_FACTOR - 1) + totalSize > MAX_BLOCK_WEIGHT) return false;
  // The legacy operations alone, which have a limit of their own, are a part of these.
  if (known.sigopCost + legacySigops(coinbase) * WITNESS_SCALE_FACTOR > MAX_BLOCK_SIGOPS_COST) return false;
  return moneyRange(known.fees) && outputTotal(coinbase) <= known.fees + blockSubsidy(height, ws.params);
}

/**
 * BIP-0030, where it is still looked after: no output is an unspent coin already. False as well when the tip moves
 * meanwhile.
 */
async function noTwins(
  ws: ChainWorkspace,
  coinbase: TxView,
  known: KnownTransactions,
  roots: KnownRoots,
  tip: HeaderNode,
): Promise<boolean> {
  const listed = withoutTwins.get(roots) === tip ? [] : known.txs();
  const outpoints: Uint8Array[] = [];
  for (const tx of [coinbase, ...listed]) for (let i = 0; i < tx.outputCount; i++) outpoints.push(outpointOf(tx, i));
  for (let from = 0; from < outpoints.length; from += OUTPOINTS) {
    const some = outpoints.slice(from, from + OUTPOINTS);
    await ws.coins.prefetch(some);
    if (ws.active.tip !== tip || some.some((outpoint) => ws.coins.get(outpoint) !== undefined)) return false;
  }
  withoutTwins.set(roots, tip);
  return true;
}

// Checks whether a block of transactions from the mempool would be valid on the tip, without reading coins and running
// scripts. Used for declared jobs and proposals. The mempool checked each transaction against the rules of the next
// block when it accepted the transaction, and removes those that a tip change makes invalid. So only the header, the
// coinbase, and sums over all transactions need checking. The result is "valid" or "unknown". If it is unknown, the
// complete check runs (chain-view.ts). See docs/decisions/0021-known-blocks.md.

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

/** Number of outpoints checked at a time. */
const OUTPOINTS = 2_000;

/** Hashes over a list of transactions. An equal list gives the same object. */
export interface KnownRoots {
  /** Siblings from the coinbase's txid up to the merkle root. */
  readonly branch: readonly Uint8Array[];
  /** Merkle root over the wtxids, with zeros for the coinbase. */
  readonly witnessRoot: Uint8Array;
}

/**
 * Distinct transactions of the mempool in block order, parents before children. Each passes the rules of the next block
 * that concern it alone or the coins that it spends. Its scripts pass under STANDARD_SCRIPT_FLAGS.
 */
export interface KnownTransactions {
  /** Tip at which the mempool's transactions are valid. */
  readonly tip: HeaderContext;
  readonly count: number;
  /** Sum of base fees in satoshis. */
  readonly fees: number;
  /** Sum of signature operation costs (BIP-0141). */
  readonly sigopCost: number;
  /** Sum of sizes in bytes, with witnesses and without. */
  readonly totalSize: number;
  readonly strippedSize: number;
  readonly hasWitness: boolean;
  /** Highest lock time of the transactions that is in effect, for heights and for times; 0 for none. */
  readonly lockHeight: number;
  readonly lockTime: number;
  /** Computes the hashes, or returns cached ones. */
  roots(): KnownRoots;
  /** Yields the transactions. */
  txs(): Iterable<TxView>;
}

/** Lists none of whose outputs exists as an unspent coin (BIP-0030), with the tip at which that was checked. */
const withoutTwins = new WeakMap<KnownRoots, HeaderNode>();

/**
 * Returns whether header, coinbase and these transactions are a valid block on the tip, except for its proof of work.
 * False means unknown.
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

/** Returns whether the mempool applies every rule of the next block that concerns a single transaction. */
function rulesAreThePools(ws: ChainWorkspace, header: HeaderView, tip: HeaderNode): boolean {
  const { params, versionBits } = ws;
  if (tip.height + 1 < params.segwitHeight || cleanupEnforced(tip, params, versionBits)) return false;
  return (blockScriptFlags(tip, header.hash, params, versionBits) & ~STANDARD_SCRIPT_FLAGS) === 0;
}

function headerFits(ws: ChainWorkspace, header: HeaderView, tip: HeaderNode): boolean {
  return checkHeaderContext(header, tip, ws.params, ws.clock.nowSeconds(), lastCheckpointHeight(ws), ws.versionBits) === null;
}

/**
 * Returns the time against which the lock times of this block are checked (BIP-0113). The mempool always uses the
 * median time past, which is never later.
 */
function lockCutoff(ws: ChainWorkspace, header: HeaderView, tip: HeaderNode): number {
  return tip.height + 1 >= ws.params.csvHeight ? tip.medianTimePast() : header.time;
}

function coinbaseFits(ws: ChainWorkspace, header: HeaderView, coinbase: TxView, tip: HeaderNode): boolean {
  if (!coinbase.isCoinbase || checkTransaction(coinbase) !== null) return false;
  const height = tip.height + 1;
  return isFinalTx(coinbase, height, lockCutoff(ws, header, tip)) && checkCoinbaseHeight(coinbase, height, ws.params) === null;
}

/** Checks sizes, signature operations, lock times and amounts over the whole block. */
function sumsFit(ws: ChainWorkspace, header: HeaderView, coinbase: TxView, known: KnownTransactions, tip: HeaderNode): boolean {
  const height = tip.height + 1;
  if (known.lockHeight >= height || known.lockTime >= lockCutoff(ws, header, tip)) return false;
  const count = known.count + 1;
  const around = HEADER_SIZE + compactSizeLength(count);
  const strippedSize = around + coinbase.strippedSize + known.strippedSize;
  // A block within the weight limit is also within the limit of the stripped size.
  const totalSize = around + coinbase.totalSize + known.totalSize;
  if (strippedSize * (WITNESS_SCALE_FACTOR - 1) + totalSize > MAX_BLOCK_WEIGHT) return false;
  // A block within the limit of the sigop cost is also within the limit of legacy signature operations.
  if (known.sigopCost + legacySigops(coinbase) * WITNESS_SCALE_FACTOR > MAX_BLOCK_SIGOPS_COST) return false;
  return moneyRange(known.fees) && outputTotal(coinbase) <= known.fees + blockSubsidy(height, ws.params);
}

/**
 * Checks BIP-0030: no output of the block exists as an unspent coin already. Also returns false if the tip changes
 * during the check.
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

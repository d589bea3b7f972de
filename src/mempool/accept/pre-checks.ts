// First steps of acceptance, in the order of Core 0.21's PreChecks: the transaction alone, lock time, inputs, size and
// fee. No scripts run here.
import { hashKey, hashToHex } from '../../consensus/bytes/hex.js';
import type { Coin } from '../../consensus/coin.js';
import type { HeaderContext } from '../../consensus/header-context.js';
import { LOCKTIME_THRESHOLD } from '../../consensus/limits.js';
import { checkSpentCoins } from '../../consensus/rules/check-inputs.js';
import { checkTransaction } from '../../consensus/rules/check-transaction.js';
import { legacySigopsWithin } from '../../consensus/rules/cleanup/legacy-sigops.js';
import { hasRelativeLock, isFinalTx, SEQUENCE_DISABLE_FLAG, sequenceLocks, sequenceLocksMet } from '../../consensus/rules/locks.js';
import { SCRIPT_VERIFY_TAPROOT, STANDARD_SCRIPT_FLAGS } from '../../consensus/script/flags.js';
import { sigopCost } from '../../consensus/script/sigops.js';
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { feeForSize } from '../../policy/fee-rate.js';
import { policyReject } from '../../policy/reject.js';
import { inputsFault, witnessIsStandard } from '../../policy/standard-inputs.js';
import { checkStandardTx } from '../../policy/standard-tx.js';
import { adjustedVirtualSize } from '../../policy/virtual-size.js';
import { compareFeeFractions } from '../../selection/index.js';
import { type LockPoints, poolCoin, RowViews } from '../entry.js';
import { FLAG, NO_ROW } from '../rows.js';
import { checkUnpaidDust } from './ephemeral-dust.js';
import type { AcceptContext, Step, Workspace } from './workspace.js';

/** A fifth of a block's limit on signature operations. */
const MAX_STANDARD_SIGOP_COST = 16_000;

/** Checks context-free rules and standardness. */
export const checkAlone: Step = ({ tx, ahead }, { options }) => {
  if (ahead !== null) return null;
  const verdict = checkTransaction(tx);
  if (verdict !== null) return verdict;
  if (tx.isCoinbase) return policyReject('consensus', 'coinbase');
  if (options.policy.requireStandard) {
    const fault = checkStandardTx(tx, options.policy);
    if (fault !== null) return fault;
  }
  return tx.strippedSize < options.policy.minStrippedBytes ? policyReject('not-standard', 'tx-size-small') : null;
};

/** Checks that the lock time allows the next block. */
export const checkFinal: Step = ({ tx }, { tip }) => {
  const time = tx.locktime < LOCKTIME_THRESHOLD ? 0 : tip.medianTimePast();
  return isFinalTx(tx, tip.height + 1, time) ? null : policyReject('premature-spend', 'non-final');
};

/** Rejects known transactions, and conflicts with transactions that do not allow replacement. */
export const checkConflicts: Step = (work, { pool, options }) => {
  const { tx } = work;
  const { fullRbf, detailed } = options.policy;
  const known = pool.records.find(tx.txid);
  if (known !== NO_ROW) {
    const same = !detailed || Buffer.compare(pool.records.entry(known).wtxid, tx.wtxid) === 0;
    return policyReject('conflict', same ? 'txn-already-in-mempool' : 'txn-same-nonwitness-data-in-mempool');
  }
  for (let i = 0; i < tx.inputCount; i++) {
    const rival = pool.records.spender(tx.buffer, tx.outpointAt(i));
    if (rival === NO_ROW || work.conflicts.has(rival)) continue;
    if (work.accept.inPackage === 'test') return policyReject('mempool-policy', 'bip125-replacement-disallowed');
    if (!fullRbf && !pool.rows.has(rival, FLAG.signals)) return policyReject('mempool-policy', 'txn-mempool-conflict');
    work.addConflict(rival);
  }
  return null;
};

/**
 * Returns whether prefetching found all coins of the transaction in the chain at this tip. Such coins remain until the
 * tip changes.
 */
export const hasCoins = ({ ahead }: Workspace, tip: HeaderContext): boolean => ahead !== null && ahead.tip === tip && ahead.work.confirmed;

/**
 * Finds the coin of each input. The caller has prefetched the coins. If one is missing and the transaction's own
 * outputs exist as coins, the transaction is in a block already.
 */
export const findCoins: Step = (work, { pool, coins, tip }) => {
  const { tx } = work;
  const { earlier, returning } = work.accept;
  if (hasCoins(work, tip)) {
    work.spent = (work.ahead as NonNullable<Workspace['ahead']>).work.spent;
    work.confirmed = true;
    return null;
  }
  const spent = new Array<Coin>(tx.inputCount);
  work.spent = spent;
  work.confirmed = true;
  const parents = new RowViews(pool.records);
  for (let i = 0; i < tx.inputCount; i++) {
    const parent = pool.records.find(tx.buffer, tx.outpointAt(i));
    const sibling = parent === NO_ROW && earlier !== undefined && earlier.size > 0 ? earlier.get(hashKey(tx.prevHash(i))) : undefined;
    const coin =
      parent !== NO_ROW
        ? poolCoin(parents.of(parent), tx.prevIndex(i), returning?.rows.has(parent) === false ? returning.heightOf(parent) : undefined)
        : sibling !== undefined
          ? poolCoin(sibling, tx.prevIndex(i))
          : coins.get(tx.buffer, tx.outpointAt(i));
    if (coin !== undefined) {
      spent[i] = coin;
      if (parent !== NO_ROW || sibling !== undefined) work.confirmed = false;
      continue;
    }
    for (const own of ownOutpoints(tx)) {
      if (coins.isKnown(own) && coins.get(own) !== undefined) return policyReject('conflict', 'txn-already-known');
    }
    return policyReject('missing-inputs', 'bad-txns-inputs-missingorspent');
  }
  return null;
};

/** Checks relative locks, then amounts and maturity, then standardness of the spent outputs. */
export const checkInputs: Step = (work, { tip, options, nextFlags }) => {
  const { tx, spent, ahead } = work;
  // The prefetched checks used the same coins at this tip, so take over their results.
  if (ahead !== null && ahead.tip === tip) {
    work.locks = ahead.work.locks;
    work.fee = ahead.work.fee;
    work.spendsCoinbase = ahead.work.spendsCoinbase;
    work.sigopCost = ahead.work.sigopCost;
    return null;
  }
  work.locks = lockPoints(tx, spent, tip);
  if (work.locks !== null && !sequenceLocksMet(work.locks, tip)) return policyReject('premature-spend', 'non-BIP68-final');
  const { verdict, fee } = checkSpentCoins(tx, spent, tip.height + 1);
  if (verdict !== null) return verdict;
  work.fee = fee;
  work.spendsCoinbase = spent.some((coin) => coin.coinbase);
  if (options.limitLegacySigops && !legacySigopsWithin(tx, spent)) {
    return policyReject('inputs-not-standard', 'bad-txns-nonstandard-inputs', 'non-witness sigops exceed bip54 limit');
  }
  if (!options.policy.requireStandard) return null;
  const { anchors, detailed } = options.policy;
  const inputs = inputsFault(tx, spent, { taprootActive: detailed || (nextFlags & SCRIPT_VERIFY_TAPROOT) !== 0, anchors });
  if (inputs !== null) return policyReject('inputs-not-standard', 'bad-txns-nonstandard-inputs', detailed ? inputs : '');
  if (tx.hasWitness && !witnessIsStandard(tx, spent)) return policyReject('witness-mutated', 'bad-witness-nonstandard');
  return null;
};

/** Checks signature operations, size and fee. */
export const checkSizeAndFee: Step = (work, context) => {
  const { tx } = work;
  const { policy } = context.options;
  if (work.sigopCost < 0) work.sigopCost = sigopCost(tx, work.spent, STANDARD_SCRIPT_FLAGS);
  work.modifiedFee = work.fee + context.pool.deltas.of(tx.txid);
  work.size = adjustedVirtualSize(tx.weight, work.sigopCost, policy.bytesPerSigop);
  const unpaid = checkUnpaidDust(work, context);
  if (unpaid !== null) return unpaid;
  if (work.sigopCost > MAX_STANDARD_SIGOP_COST) {
    return policyReject('not-standard', 'bad-txns-too-many-sigops', String(work.sigopCost));
  }
  if (work.accept.bypassLimits === true || work.accept.inPackage === 'together') return null;
  return checkFeeRate(work.size, work.modifiedFee, context);
};

/**
 * Checks the rolling minimum fee rate, then the relay minimum.
 * @param size sigop-adjusted virtual bytes
 */
export function checkFeeRate(size: number, modifiedFee: number, { eviction, options }: AcceptContext): Reject | null {
  const { roundUp } = options.policy;
  const poolMinimum = feeForSize(eviction.minFeeRate(), size, roundUp);
  if (poolMinimum > 0 && modifiedFee < poolMinimum) {
    return policyReject('reconsiderable', 'mempool min fee not met', `${modifiedFee} < ${poolMinimum}`);
  }
  const relayMinimum = feeForSize(options.policy.minRelayFeeRate, size, roundUp);
  if (modifiedFee < relayMinimum) {
    return policyReject('reconsiderable', 'min relay fee not met', `${modifiedFee} < ${relayMinimum}`);
  }
  return null;
}

/** Checks the largest fee rate that the caller allows, by the modified fee. */
export const checkMaxFeeRate: Step = ({ accept, modifiedFee, size }) =>
  accept.maxFeeRate !== undefined && compareFeeFractions(modifiedFee, size, accept.maxFeeRate, 1000) > 0
    ? policyReject('mempool-policy', 'max feerate exceeded')
    : null;

/**
 * Computes the relative locks of a transaction. Unconfirmed coins count as part of the block after the tip. Returns
 * null if no lock applies.
 */
export function lockPoints(tx: TxView, spent: readonly Coin[], tip: HeaderContext): LockPoints | null {
  if (!hasRelativeLock(tx)) return null;
  const heights = spent.map((coin) => Math.min(coin.height, tip.height + 1));
  const locks = sequenceLocks(tx, heights, tip);
  if (locks.minHeight < 0 && locks.minTime < 0) return null;
  const counts = heights.filter((height, i) => height <= tip.height && (tx.sequence(i) & SEQUENCE_DISABLE_FLAG) === 0);
  return { ...locks, block: tip.ancestor(Math.max(0, ...counts)) as HeaderContext };
}

/** Returns the outpoints of the transaction's own outputs. */
export function ownOutpoints(tx: TxView): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let i = 0; i < tx.outputCount; i++) {
    const outpoint = new Uint8Array(36);
    outpoint.set(tx.txid);
    new DataView(outpoint.buffer).setUint32(32, i, true);
    found.push(outpoint);
  }
  return found;
}

/** Returns the txid in hex, for debug texts. */
export function idHex(tx: TxView): string {
  return hashToHex(tx.txid);
}

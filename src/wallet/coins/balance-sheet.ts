// Computes balances, and decides whether an unconfirmed transaction can be trusted. CoinTable maintains the sums over
// confirmed coins. Sums over unconfirmed coins depend on the mempool, on parents and on the tip. `markChanged` marks a
// record whose contribution to the sums may have changed, with all unconfirmed records that spend its outputs. The next
// call that reads a balance recomputes the marked records.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { OWNERSHIP, type OwnershipFilter } from '../keys/ownership.js';
import { BUCKET, type CoinTable, matchesFilter } from './coin-table.js';
import type { SpendTable } from './spend-table.js';
import { TX_STATE, type TxTable } from './tx-table.js';

/** Balances of one class of ownership, satoshis. */
export interface Balances {
  readonly trusted: number;
  readonly pending: number;
  readonly immature: number;
}

/** Selects the coins that a balance counts. */
export interface BalanceQuestion {
  readonly ownership: 1 | 2;
  /** Confirmations that trusted coins need; 0 includes unconfirmed ones. */
  readonly minDepth?: number;
  /** Returns true for coins to leave out (addresses that were used before). */
  readonly skip?: ((coin: number) => boolean) | undefined;
  /** True to leave out immature coinbases too if `skip` returns true for them. */
  readonly skipsYoung?: boolean;
}
/** Returns whether a balance must be computed from all coins, because the running sums do not have it. */
const needsCoins = ({ minDepth = 0, skip }: Pick<BalanceQuestion, 'minDepth' | 'skip'>): boolean => minDepth > 1 || skip !== undefined;

export interface SheetDeps {
  readonly txs: TxTable;
  readonly coins: CoinTable;
  readonly spends: SpendTable;
  /** Returns the confirmations of a record. */
  readonly depth: (row: number) => number;
  /** True if own unconfirmed change counts as trusted (-spendzeroconfchange). */
  readonly spendZeroConfChange: boolean;
  /** Returns whether the lock time allows the transaction in the next block. */
  readonly isFinal: (tx: TxView) => boolean;
}

/** Contribution of an unconfirmed record to one of the sums. */
interface Part {
  readonly into: Float64Array;
  /** Satoshis, indexed by ownership. */
  readonly values: readonly number[];
}

export class BalanceSheet {
  /** Satoshis of unconfirmed coins, indexed by ownership: trusted ones, and untrusted ones in the mempool. */
  readonly #trusted = new Float64Array(3);
  readonly #pending = new Float64Array(3);
  /**
   * Contribution of each unconfirmed record. Unless `#stale` is set, each such record is either here or in `#changed`.
   */
  readonly #parts = new Map<number, Part | null>();
  readonly #changed = new Set<number>();
  #stale = true;
  /** Records whose lock time does not allow them in the next block. */
  readonly #unfinal = new Set<number>();
  readonly #deps: SheetDeps;

  constructor(deps: SheetDeps) {
    this.#deps = deps;
  }

  /** Discards all sums. The next balance computes them again. */
  invalidateSums(): void {
    this.#stale = true;
  }
  /** Marks a record, and all unconfirmed records that spend its outputs, for recomputation. */
  markChanged(changed: number): void {
    if (this.#stale) return;
    const { txs, coins, spends } = this.#deps;
    const todo = [changed];
    for (let row = todo.pop(); row !== undefined; row = todo.pop()) {
      if (this.#changed.has(row)) continue;
      if (txs.state(row) === TX_STATE.UNCONFIRMED || this.#parts.has(row)) this.#changed.add(row);
      // A confirmed record stays trusted, even if it spends an output of the changed record.
      else if (row !== changed) continue;
      if (this.#parts.size + this.#changed.size === 0) continue;
      for (const coin of coins.ofTx(row)) spends.forEach(coins.outpointView(coin), (spender) => todo.push(spender));
    }
  }
  handleTipChange(rose: boolean): void {
    if (!rose) this.#stale = true;
    for (const row of this.#unfinal) this.markChanged(row);
    this.#unfinal.clear();
  }

  /** Returns the value of the inputs that belong to the wallet, satoshis. */
  debit(tx: TxView, filter: OwnershipFilter): number {
    if (tx.isCoinbase) return 0;
    const { coins } = this.#deps;
    let sum = 0;
    for (let i = 0; i < tx.inputCount; i++) {
      const coin = coins.find(tx.outpoint(i));
      if (coin >= 0 && matchesFilter(coins.ownership(coin), filter)) sum += coins.value(coin);
    }
    return sum;
  }

  /**
   * Returns whether an unconfirmed transaction can be trusted. Core: CachedTxIsTrusted.
   * @param memo results for other transactions, as long as nothing changes
   */
  isTrusted(row: number, memo: Map<number, boolean> = new Map()): boolean {
    const known = memo.get(row);
    if (known !== undefined) return known;
    memo.set(row, false);
    const answer = this.#isTrusted(row, memo);
    memo.set(row, answer);
    return answer;
  }
  #isTrusted(row: number, memo: Map<number, boolean>): boolean {
    const { txs, coins, depth, isFinal, spendZeroConfChange } = this.#deps;
    const confirmations = depth(row);
    if (confirmations >= 1) return true;
    const tx = txs.view(row);
    if (confirmations < 0 || tx === undefined) return false;
    if (!isFinal(tx)) {
      this.#unfinal.add(row);
      return false;
    }
    if (!spendZeroConfChange || this.debit(tx, 3) === 0 || !txs.inMempool(row)) return false;
    for (let i = 0; i < tx.inputCount; i++) {
      const coin = coins.find(tx.outpoint(i));
      if (coin < 0 || coins.ownership(coin) !== OWNERSHIP.SPENDABLE) return false;
      if (!this.isTrusted(coins.txRow(coin), memo)) return false;
    }
    return true;
  }

  /** Returns a balance in satoshis. Examines every coin if the running sums do not have it (needsCoins). */
  balances(question: BalanceQuestion): Balances {
    const { coins } = this.#deps;
    const { ownership, minDepth = 0 } = question;
    let immature = coins.sum(BUCKET.IMMATURE, ownership);
    if (needsCoins(question)) {
      const { skip, skipsYoung = false } = question;
      for (const coin of skipsYoung ? coins.inBucket(BUCKET.IMMATURE) : []) {
        if (coins.ownership(coin) === ownership && skip?.(coin)) immature -= coins.value(coin);
      }
      return { ...this.#sumAllCoins(question), immature };
    }
    this.#updateSums();
    const confirmed = coins.sum(BUCKET.CONFIRMED, ownership);
    return { trusted: confirmed + (minDepth <= 0 ? this.#trusted[ownership] : 0), pending: this.#pending[ownership], immature };
  }
  #sumAllCoins({ ownership, minDepth = 0, skip }: BalanceQuestion): Omit<Balances, 'immature'> {
    const { coins, txs, depth } = this.#deps;
    const memo = new Map<number, boolean>();
    let trusted = 0;
    let pending = 0;
    for (const coin of coins.inBucket(BUCKET.PENDING)) {
      if (coins.ownership(coin) !== ownership || skip?.(coin)) continue;
      const row = coins.txRow(coin);
      if (this.isTrusted(row, memo)) trusted += minDepth <= 0 ? coins.value(coin) : 0;
      else if (txs.inMempool(row)) pending += coins.value(coin);
    }
    for (const coin of coins.inBucket(BUCKET.CONFIRMED)) {
      if (coins.ownership(coin) !== ownership || skip?.(coin)) continue;
      if (depth(coins.txRow(coin)) >= minDepth) trusted += coins.value(coin);
    }
    return { trusted, pending };
  }

  /** Recomputes the shares of all marked records. */
  #updateSums(): void {
    const { txs } = this.#deps;
    if (this.#stale) {
      this.#stale = false;
      this.#parts.clear();
      this.#changed.clear();
      this.#trusted.fill(0);
      this.#pending.fill(0);
      for (const row of txs.rowsOutsideChain()) if (txs.state(row) === TX_STATE.UNCONFIRMED) this.#changed.add(row);
    }
    const memo = new Map<number, boolean>();
    for (const row of this.#changed) {
      this.#add(this.#parts.get(row), -1);
      this.#parts.delete(row);
      if (txs.state(row) !== TX_STATE.UNCONFIRMED) continue;
      const part = this.#partOf(row, memo);
      this.#parts.set(row, part);
      this.#add(part, 1);
    }
    this.#changed.clear();
  }
  #add(part: Part | null | undefined, sign: 1 | -1): void {
    if (part) for (const [ownership, value] of part.values.entries()) part.into[ownership] += sign * value;
  }
  #partOf(row: number, memo: Map<number, boolean>): Part | null {
    const { txs, coins } = this.#deps;
    const values = [0, 0, 0];
    for (const coin of coins.ofTx(row)) if (coins.bucket(coin) === BUCKET.PENDING) values[coins.ownership(coin)] += coins.value(coin);
    if (values.every((value) => value === 0)) return null;
    if (this.isTrusted(row, memo)) return { into: this.#trusted, values };
    return txs.inMempool(row) ? { into: this.#pending, values } : null;
  }
}

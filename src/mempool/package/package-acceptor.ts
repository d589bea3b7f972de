// Accepts packages: a child with its unconfirmed parents, whose fees count together if one of them pays too little
// alone (Core's ProcessNewPackage and AcceptPackage, the receiving side of BIP-0331). Each transaction is first tried
// alone, because a transaction that pays for itself must not lend its fees. Transactions that fail because of fees, or
// because such a transaction is their parent, are then checked together.

import { hashKey } from '../../consensus/bytes/hex.js';
import type { Wtxid } from '../../consensus/ids.js';
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { feeRateOf } from '../../policy/fee-rate.js';
import { policyReject } from '../../policy/reject.js';
import type { Acceptor, AcceptResult } from '../accept/acceptor.js';
import { unspentDust } from '../accept/ephemeral-dust.js';
import { type Judge, WITHOUT_COINS } from '../accept/judge.js';
import { checkFeeRate, checkMaxFeeRate } from '../accept/pre-checks.js';
import { checkScripts } from '../accept/script-checks.js';
import { packageTrucFault } from '../accept/truc.js';
import { type AcceptOptions, Workspace } from '../accept/workspace.js';
import { NO_ROW } from '../rows.js';
import { checkPackageCluster, checkPackageLimits, checkPackageReplacement } from './package-rules.js';
import { checkPackageShape, isChildWithParents, type PackageFault, packageFault } from './package-shape.js';

export interface PackageOptions {
  /** Largest fee rate of a transaction, in satoshis per 1,000 virtual bytes. */
  readonly maxFeeRate?: number;
}

/**
 * Result for one transaction. Hashes in internal order, sizes sigop-adjusted, rates in satoshis per 1,000 virtual
 * bytes.
 */
export type PackageTxResult =
  | {
      /** The transaction was added now. */
      readonly kind: 'valid';
      readonly size: number;
      readonly fee: number;
      /**
       * Fee rate that was compared with the limits. It may be that of several transactions; the next field has their
       * wtxids.
       */
      readonly feeRate: number;
      readonly includes: readonly Uint8Array[];
      /** Txids of replaced transactions. */
      readonly replaced: readonly Uint8Array[];
    }
  /** The transaction was in the mempool already. */
  | { readonly kind: 'known'; readonly size: number; readonly fee: number }
  /** The mempool has the same transaction with another witness. */
  | { readonly kind: 'other-witness'; readonly wtxid: Wtxid }
  | { readonly kind: 'invalid'; readonly reject: Reject };

export interface PackageResult {
  /** Fault of the package; null for none. */
  readonly fault: PackageFault | null;
  /** Results by key of the wtxid; transactions that were not checked are absent. */
  readonly results: ReadonlyMap<string, PackageTxResult>;
  /**
   * True if the package pays too little, but might pay enough if the witnesses of all transactions except the last were
   * smaller.
   */
  readonly slimmerMayPay?: boolean;
}

type Results = Map<string, PackageTxResult>;

const TX_FAILED: PackageFault = { kind: 'tx', reason: 'transaction failed', debug: '' };

const keyOf = (tx: TxView): string => hashKey(tx.wtxid);

export class PackageAcceptor {
  readonly #judge: Judge;
  readonly #acceptor: Acceptor;

  constructor(judge: Judge, acceptor: Acceptor) {
    this.#judge = judge;
    this.#acceptor = acceptor;
  }

  /** Submits a package: parents first, the child last; or one transaction. */
  async submit(txs: readonly TxView[], options: PackageOptions = {}): Promise<PackageResult> {
    const shape = checkPackageShape(txs);
    if (shape !== null) return { fault: shape, results: new Map() };
    if (txs.length > 1 && !isChildWithParents(txs)) return { fault: packageFault('package-not-child-with-parents'), results: new Map() };
    const { pool, eviction } = this.#judge.deps;
    const final: Results = new Map();
    const alone: Results = new Map();
    const together: TxView[] = [];
    let hopeless = false;
    let rest: PackageResult;
    try {
      for (const tx of txs) {
        const here = this.#known(tx);
        if (here !== null) {
          final.set(keyOf(tx), here);
          continue;
        }
        const single = await this.#acceptor.accept(tx, { ...options, inPackage: 'apart' });
        if (single.reject === null) {
          final.set(keyOf(tx), accepted(tx, single));
          continue;
        }
        alone.set(keyOf(tx), { kind: 'invalid', reject: single.reject });
        if (txs.length === 1 || !mayBeCured(single.reject)) hopeless = true;
        else together.push(tx);
      }
      rest =
        hopeless || together.length === 0
          ? { fault: hopeless ? TX_FAILED : null, results: new Map() }
          : await this.#retry(together, options);
    } finally {
      // Trim the mempool, also after an exception of a busy verifier. While transactions of disconnected blocks return,
      // the reorganisation trims the mempool at its end.
      if (!this.#judge.deps.returning()) eviction.limit();
    }
    let { fault } = rest;
    const results: Results = new Map();
    for (const tx of txs) {
      const key = keyOf(tx);
      const result = rest.results.get(key) ?? final.get(key) ?? (alone.get(key) as PackageTxResult);
      const lost = result.kind !== 'invalid' && pool.records.find(tx.txid) === NO_ROW;
      if (lost) fault = TX_FAILED;
      results.set(key, lost ? { kind: 'invalid', reject: policyReject('mempool-policy', 'mempool full') } : result);
    }
    return { ...rest, fault, results };
  }

  /**
   * Checks several transactions in order for testmempoolaccept. Later ones may spend outputs of earlier ones. Each must
   * pay for itself, and no transaction of the mempool may be replaced.
   */
  async test(txs: readonly TxView[]): Promise<PackageResult> {
    return checkPackageShape(txs) === null
      ? this.#judgeAll(txs, { inPackage: 'test', testOnly: true })
      : { fault: checkPackageShape(txs), results: new Map() };
  }

  #known(tx: TxView): PackageTxResult | null {
    const { pool } = this.#judge.deps;
    const row = pool.records.find(tx.txid);
    if (row === NO_ROW) return null;
    const entry = pool.records.entry(row);
    if (hashKey(entry.wtxid) !== keyOf(tx)) return { kind: 'other-witness', wtxid: entry.wtxid };
    return { kind: 'known', size: entry.size, fee: entry.fee };
  }

  /** Checks the remaining transactions together. A single remaining transaction is tried alone once more. */
  async #retry(txs: readonly TxView[], options: PackageOptions): Promise<PackageResult> {
    if (txs.length > 1) return this.#judgeAll(txs, { ...options, inPackage: 'together' });
    const [tx] = txs;
    const single = await this.#acceptor.accept(tx, { ...options, inPackage: 'apart' });
    if (single.reject === null) return { fault: null, results: new Map([[keyOf(tx), accepted(tx, single)]]) };
    return { fault: TX_FAILED, results: new Map([[keyOf(tx), { kind: 'invalid', reject: single.reject }]]) };
  }

  /** Adds all transactions to the mempool, or none. */
  async #judgeAll(txs: readonly TxView[], accept: AcceptOptions): Promise<PackageResult> {
    const { chain } = this.#judge.deps;
    let proven = false;
    for (;;) {
      while (this.#judge.deps.returning()) await this.#judge.deps.settled();
      const moved = this.#judge.watchForChanges();
      const works = workspaces(txs, accept);
      const wanted = works.flatMap((work) => this.#judge.unknownCoins(work));
      if (wanted.length > 0) {
        await chain.coins.prefetch(wanted);
        if (moved()) continue;
      }
      const fault = this.#check(works);
      if (fault !== null) return fault;
      if (!proven) {
        const scriptFault = await this.#checkScripts(works, accept);
        if (scriptFault !== null) return scriptFault;
        // Script results stay valid. If the mempool or the tip has changed, all other checks run again.
        proven = true;
        if (moved()) continue;
      }
      return this.#finish(works, accept);
    }
  }

  #check(works: readonly Workspace[]): PackageResult | null {
    const context = this.#judge.context();
    const { clusters } = context.options.policy;
    for (const work of works) {
      const fault = this.#judge.check(work, WITHOUT_COINS, this.#judge.withCoins);
      // In the order of Core 0.21, withCoins includes the check of the maximum fee rate.
      const over = fault === null && clusters ? checkMaxFeeRate(work, context) : fault;
      if (over !== null) return failed(work, over);
    }
    if (clusters) {
      for (const work of works) {
        const fault = packageTrucFault(work, works, context.pool);
        if (fault !== null) return { fault: packageFault('TRUC-violation', fault), results: new Map() };
      }
    }
    const totals = totalsOf(works);
    if (works[0].accept.inPackage === 'together') {
      const fault = checkFeeRate(totals.size, totals.modifiedFee, context);
      if (fault !== null) {
        const last = works[works.length - 1];
        const least = works.reduce((sum, { tx }) => sum + tx.strippedSize, last.size - last.tx.strippedSize);
        return { ...failed(last, fault), slimmerMayPay: checkFeeRate(least, totals.modifiedFee, context) === null };
      }
    }
    if (works.length === 1) return null;
    const fault =
      (clusters ? null : checkPackageLimits(works, totals, context)) ??
      checkPackageReplacement(works, totals, context) ??
      checkPackageCluster(works, context);
    if (fault !== null) return { fault, results: new Map() };
    return clusters ? this.#checkDust(works) : null;
  }

  #checkDust(works: readonly Workspace[]): PackageResult | null {
    const context = this.#judge.context();
    const all = new Map(works.map(({ tx }) => [hashKey(tx.txid), tx]));
    for (const { tx } of works) {
      const reject = unspentDust(tx, all, context);
      if (reject !== null) return { fault: packageFault('unspent-dust'), results: new Map([[keyOf(tx), { kind: 'invalid', reject }]]) };
    }
    return null;
  }

  async #checkScripts(works: readonly Workspace[], accept: AcceptOptions): Promise<PackageResult | null> {
    const { verifier } = this.#judge.deps;
    const { detailed } = this.#judge.options.policy;
    const faults = await Promise.all(works.map((work) => checkScripts(work, verifier, { detailed })));
    const first = faults.findIndex((fault) => fault !== null);
    if (first < 0) return null;
    const fault = failed(works[first], faults[first] as Reject);
    if (accept.testOnly !== true) return fault;
    // testmempoolaccept reports the transactions before the failed one as accepted.
    const before = works.slice(0, first).map((work) => [keyOf(work.tx), this.#resultOf(work, works)] as const);
    return { ...fault, results: new Map([...before, ...fault.results]) };
  }

  #finish(works: readonly Workspace[], accept: AcceptOptions): PackageResult {
    const results: Results = new Map();
    for (const work of works) {
      results.set(keyOf(work.tx), this.#resultOf(work, works));
      if (accept.testOnly !== true) this.#judge.addToPool(work);
    }
    return { fault: null, results };
  }

  #resultOf({ tx, fee, size, modifiedFee, replaced, accept }: Workspace, works: readonly Workspace[]): PackageTxResult {
    const { pool } = this.#judge.deps;
    const together = accept.inPackage === 'together' ? totalsOf(works) : null;
    return {
      kind: 'valid',
      size,
      fee,
      feeRate: together === null ? feeRateOf(modifiedFee, size) : feeRateOf(together.modifiedFee, together.size),
      includes: together === null ? [tx.wtxid] : works.map((work) => work.tx.wtxid),
      replaced: Array.from(replaced, (row) => pool.records.entry(row).txid),
    };
  }
}

/** Returns a workspace for each transaction. A transaction may spend outputs of earlier ones. */
function workspaces(txs: readonly TxView[], accept: AcceptOptions): Workspace[] {
  const earlier = new Map<string, TxView>();
  return txs.map((tx) => {
    const work = new Workspace(tx, { ...accept, earlier: new Map(earlier) });
    earlier.set(hashKey(tx.txid), tx);
    return work;
  });
}

function totalsOf(works: readonly Workspace[]): { size: number; modifiedFee: number } {
  return {
    size: works.reduce((sum, { size }) => sum + size, 0),
    modifiedFee: works.reduce((sum, { modifiedFee }) => sum + modifiedFee, 0),
  };
}

function failed({ tx }: Workspace, reject: Reject): PackageResult {
  return { fault: TX_FAILED, results: new Map([[keyOf(tx), { kind: 'invalid', reject }]]) };
}

function accepted(tx: TxView, { size, fee, modifiedFee, replaced }: AcceptResult): PackageTxResult {
  return { kind: 'valid', size, fee, feeRate: feeRateOf(modifiedFee, size), includes: [tx.wtxid], replaced };
}

function mayBeCured({ category }: Reject): boolean {
  return category === 'missing-inputs' || category === 'reconsiderable';
}

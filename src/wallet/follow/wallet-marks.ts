// Search targets of a scan in shared memory: all scripts of a wallet, and the outpoints that its unconfirmed
// transactions spend, because a block with another spender of such an outpoint makes the wallet's transaction
// conflicted. The targets grow while the scan finds payments and keys are added.
import { randomInt } from 'node:crypto';
import { packScripts, ScriptMarks } from '../../jobs/script-marks.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { ScanTargets } from '../../parallel/block-scanner.js';
import type { ScriptCursor } from '../keys/key-source.js';
import type { Wallet } from '../wallet.js';

/**
 * Above this number of scripts, testing a block's filter (about 1 us per script) costs more than scanning the block.
 */
const MAX_FILTERED_SCRIPTS = 10_000;
/** Spare capacity for keys that are added during a scan. */
const SPARE_SCRIPTS = 4096;

export class WalletMarks {
  /**
   * Counter that increases when targets are added. Blocks that were scanned with an older version must be scanned
   * again.
   */
  version = 0;
  #marks: ScriptMarks;
  readonly #cursor: ScriptCursor = { keys: 0, programs: 0, scripts: 0, watched: 0 };
  /** The scripts themselves, for filters; null if there are too many. */
  #scripts: Uint8Array[] | null;
  #packed: SharedArrayBuffer | null = null;
  readonly #wallet: Wallet;

  private constructor(wallet: Wallet, filters: boolean) {
    this.#wallet = wallet;
    this.#marks = ScriptMarks.create(wallet.keys.scriptCount + SPARE_SCRIPTS, randomInt(2 ** 32));
    this.#scripts = filters ? [] : null;
  }

  /** Collects the targets of a wallet. @param filters whether block filters will be used */
  static async of(wallet: Wallet, filters: boolean): Promise<WalletMarks> {
    const made = new WalletMarks(wallet, filters);
    await made.#addNewScripts();
    const slice = new TimeSlice();
    const { txs } = wallet.ledger;
    for (const row of [...txs.rowsOutsideChain()]) {
      const tx = txs.view(row);
      if (tx === undefined || tx.isCoinbase) continue;
      for (let i = 0; i < tx.inputCount; i++) made.#addSpend(tx.outpoint(i));
      if (slice.over) await slice.next();
    }
    return made;
  }

  /** True if the wallet has scripts that are not among the targets yet. */
  get stale(): boolean {
    return this.#wallet.keys.hasNewScripts(this.#cursor);
  }
  /** Adds new scripts of the wallet, in slices. */
  async refresh(): Promise<void> {
    if (!this.stale) return;
    await this.#addNewScripts();
    this.version++;
    this.#packed = null;
  }
  async #addNewScripts(): Promise<void> {
    const slice = new TimeSlice();
    for (const script of this.#wallet.keys.newScripts(this.#cursor)) {
      this.#add(script);
      if (slice.over) await slice.next();
    }
  }

  get targets(): ScanTargets {
    if (this.#scripts !== null) this.#packed ??= packScripts(this.#scripts);
    return { marks: this.#marks.buffer, scripts: this.#packed };
  }

  #add(script: Uint8Array): void {
    if (this.#marks.full) this.#marks = this.#marks.grown();
    this.#marks.addScript(script);
    if (this.#scripts === null) return;
    this.#scripts.push(script);
    if (this.#scripts.length <= MAX_FILTERED_SCRIPTS) return;
    this.#scripts = null;
    this.#packed = null;
  }
  /**
   * Adds an outpoint that an unconfirmed transaction spends. Coins of the wallet need no outpoint: the scan finds every
   * spender of a coin by the coin's script.
   */
  #addSpend(outpoint: Uint8Array): void {
    const { coins } = this.#wallet.ledger;
    const coin = coins.find(outpoint);
    if (coin < 0) this.#addOutpoint(outpoint);
    else this.#add(coins.script(coin));
  }
  #addOutpoint(outpoint: Uint8Array): void {
    if (this.#marks.full) this.#marks = this.#marks.grown();
    this.#marks.addOutpoint(outpoint);
    // Block filters contain scripts, not outpoints, so they would miss conflicts.
    this.#scripts = null;
  }
}

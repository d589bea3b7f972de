// Passes a block's scripts to the verifier run by run, while the block is still being checked, and combines the results
// into the block's verdict.

import { hashToHex } from '../../consensus/bytes/hex.js';
import type { BlockConnector } from '../../consensus/connect.js';
import { blockVerdict, type ScriptWording, scriptReject } from '../../consensus/rules/script-verdict.js';
import { MANDATORY_SCRIPT_FLAGS, STANDARD_SCRIPT_FLAGS } from '../../consensus/script/flags.js';
import { scriptErrorText } from '../../consensus/script/script-error.js';
import type { Verdict } from '../../consensus/state.js';
import type { Logger } from '../../log/logger.js';
import { StopFlag } from '../../parallel/stop-flag.js';
import type { TxJob, Verifier, VerifyClass, VerifyResult } from '../../parallel/verifier.js';

/** Flags whose failures Core 0.21 calls non-mandatory: policy flags, and all consensus rules after P2SH. */
const NOT_MANDATORY = STANDARD_SCRIPT_FLAGS & ~MANDATORY_SCRIPT_FLAGS;

/** How to run the scripts. */
export interface ScriptSettings {
  readonly flags: number;
  readonly klass: VerifyClass;
  /**
   * Wording of failures. 'sequential' is Core's -par=1: scripts of a transaction rank before the checks of the next
   * one.
   */
  readonly wording: ScriptWording;
}

/** One batch of transactions at the verifier. */
interface Run {
  /** Positions of the batch's transactions in the block. */
  readonly places: readonly number[];
  readonly jobs: readonly TxJob[];
  readonly result: VerifyResult | Promise<VerifyResult>;
}

export class ScriptRuns {
  readonly #runs: Run[] = [];
  readonly #stop = new StopFlag();
  readonly #removeStopListener: (() => void) | undefined;
  readonly #verifier: Verifier;
  readonly #settings: ScriptSettings;
  readonly #log: Logger;

  /** @param stop stops the scripts early; `verdict` then throws */
  constructor(verifier: Verifier, settings: ScriptSettings, log: Logger, stop?: StopFlag) {
    this.#removeStopListener = stop?.onRaise(() => this.#stop.raise());
    this.#verifier = verifier;
    this.#settings = settings;
    this.#log = log;
  }

  /** Starts the scripts of transactions `first` up to, not including, `end`. */
  start(connector: BlockConnector, first: number, end: number): void {
    const { flags, klass } = this.#settings;
    const jobs: TxJob[] = [];
    const places: number[] = [];
    // The coinbase has no scripts to run.
    for (let i = Math.max(first, 1); i < end; i++) {
      const tx = connector.block.txs[i] as TxJob['tx'];
      if (tx.facts !== null && (flags & ~tx.facts.flags) === 0) continue;
      jobs.push({ tx, spent: connector.spentByTx[i] as TxJob['spent'] });
      places.push(i);
    }
    if (jobs.length === 0) return;
    const result = this.#verifier.verifyTxs({ txs: jobs, flags, klass, stop: this.#stop });
    // `verdict` awaits the results later, in order. Until then a rejection must not count as unhandled.
    if (result instanceof Promise) result.catch(() => undefined);
    this.#runs.push({ places, jobs, result });
  }

  /** Returns the block's verdict from its checks and scripts. Throws only for faults of the verifier. */
  async verdict(connector: BlockConnector): Promise<Verdict> {
    const sequential = this.#settings.wording === 'sequential';
    // With several script threads, a failed check takes precedence over all script results.
    if (!sequential && connector.verdict !== null) return connector.verdict;
    for (const run of this.#runs) {
      const result = await run.result;
      if (result.stopped) throw new Error('Script checks were stopped without a verdict');
      if (!result.ok) return this.#failure(connector, run, result);
    }
    return connector.verdict;
  }

  /** Stops running scripts and waits for them. */
  async stopScripts(): Promise<void> {
    this.#removeStopListener?.();
    this.#stop.raise();
    await Promise.allSettled(this.#runs.map(({ result }) => result));
  }

  async #failure(connector: BlockConnector, run: Run, result: VerifyResult): Promise<Verdict> {
    const { flags, wording } = this.#settings;
    const job = { ...(run.jobs[result.failedTx] as TxJob), onlyInput: result.failedInput };
    const passesMandatory = wording === 'sequential' && (await this.#passes(job, flags & ~NOT_MANDATORY));
    const error = scriptErrorText(result.scriptError, wording === 'plain');
    const failure = { tx: run.places[result.failedTx] as number, error, passesMandatory };
    const txid = hashToHex((run.jobs[result.failedTx] as TxJob).tx.txid);
    const verdict = blockVerdict(connector, failure, wording);
    if (wording === 'plain') this.#log.info(`Block validation error: ${verdict?.reason}, input ${result.failedInput} of ${txid}`);
    else this.#log.info(`ERROR: ConnectBlock(): CheckInputScripts on ${txid} failed with ${scriptReject(failure).reason}`);
    return verdict;
  }

  /** Returns whether an input passes under other flags. The result selects one of Core's two names for a failure. */
  async #passes(job: TxJob, flags: number): Promise<boolean> {
    const { klass } = this.#settings;
    if (flags === this.#settings.flags) return false;
    return (await this.#verifier.verifyTxs({ txs: [job], flags, klass })).ok;
  }
}

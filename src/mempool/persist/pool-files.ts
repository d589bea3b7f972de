// Files of the mempool in the network's folder: mempool.dat and fee_estimates.dat.

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { DecodeError } from '../../consensus/bytes/reader.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { Clock } from '../../lib/clock.js';
import { openFile } from '../../lib/open-file.js';
import { SerialQueue } from '../../lib/serial-queue.js';
import type { Logger } from '../../log/logger.js';
import { replaceFile } from '../../storage/replace-file.js';
import { decodeEstimates, encodeEstimates } from '../fees/estimates-file.js';
import { FeeEstimator } from '../fees/fee-estimator.js';
import type { Mempool } from '../mempool.js';
import { decodePool, encodePool, plainPool } from './mempool-file.js';
import { type RestoreOptions, restorePool } from './restore.js';

/** Parts of a saved mempool that an import uses. */
type RestoreChoice = Pick<RestoreOptions, 'currentTime' | 'feeDeltas' | 'unbroadcast'>;

export interface PoolFilesDeps {
  readonly dir: string;
  readonly hashes: Hashes;
  readonly clock: Clock;
  readonly log: Logger;
}

const HOUR_MS = 3_600_000;

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

export class PoolFiles {
  readonly #deps: PoolFilesDeps;
  readonly #poolFile: string;
  readonly #feesFile: string;
  /** Runs one write at a time. */
  readonly #saving = new SerialQueue();
  #loading: Promise<void> = Promise.resolve();

  constructor(deps: PoolFilesDeps) {
    this.#deps = deps;
    this.#poolFile = path.join(deps.dir, 'mempool.dat');
    this.#feesFile = path.join(deps.dir, 'fee_estimates.dat');
  }

  /**
   * Loads the saved estimator. Returns a new one if the file is missing, unusable or too old.
   * @param maxAgeHours largest age of the file, in full hours since its last change
   */
  async loadFees(maxAgeHours = Number.POSITIVE_INFINITY): Promise<FeeEstimator> {
    const { hashes, clock, log } = this.#deps;
    const fees = new FeeEstimator();
    try {
      const ageHours = Math.floor((clock.nowMs() - (await stat(this.#feesFile)).mtimeMs) / HOUR_MS);
      if (ageHours > maxAgeHours) {
        log.warn(
          `Fee estimation file ${this.#feesFile} too old (age=${ageHours} > ${maxAgeHours} hours) and will not be used to avoid serving stale estimates.`,
        );
        return fees;
      }
      decodeEstimates(await readFile(this.#feesFile), fees, hashes);
    } catch (error) {
      if (!isAbsent(error))
        log.warn(`Fee estimation starts without saved estimates: ${this.#feesFile} could not be read: ${(error as Error).message}`);
    }
    return fees;
  }

  /** Writes the current estimates. Logs failures. */
  async saveFees(fees: FeeEstimator): Promise<void> {
    if (!fees.enabled) return;
    const bytes = encodeEstimates(fees, this.#deps.hashes);
    await this.#saving
      .run(() => replaceFile(this.#feesFile, [bytes]))
      .catch((error: Error) =>
        this.#deps.log.error(`Could not write ${this.#feesFile}: ${error.message}. The node tries again within an hour and when it stops.`),
      );
  }

  /**
   * Restores the saved mempool in the background. Never rejects. Afterwards the mempool counts as loaded, unless the
   * node stops.
   */
  load(mempool: Mempool, stopping: AbortSignal): Promise<void> {
    this.#loading = this.#load(mempool, stopping);
    return this.#loading;
  }

  async #load(mempool: Mempool, stopping: AbortSignal): Promise<void> {
    const { log } = this.#deps;
    try {
      await this.#restore(mempool, this.#poolFile, { stopping });
    } catch (error) {
      if (isAbsent(error)) log.info('No saved mempool was found');
      else if (error instanceof DecodeError) log.warn(`The saved mempool was loaded only in part: ${error.message}`);
      else log.error(`The saved mempool could not be loaded: ${(error as Error).message}`);
    }
    if (!stopping.aborted) mempool.loaded = true;
  }

  async #restore(mempool: Mempool, file: string, options: RestoreChoice & { readonly stopping: AbortSignal }): Promise<void> {
    const { hashes, clock, log } = this.#deps;
    const handle = await openFile(file);
    const bytes = await handle.readFile().finally(() => handle.close());
    const plain = await plainPool(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length));
    const { expirySeconds } = mempool.options;
    const figures = await restorePool(mempool, decodePool(plain, hashes), { nowSeconds: clock.nowSeconds(), expirySeconds, ...options });
    log.info(
      `Imported mempool transactions from disk: ${figures.restored} succeeded, ${figures.failed} failed, ${figures.expired} expired, ${figures.alreadyThere} already there`,
    );
  }

  /**
   * Imports the transactions of a saved mempool.
   * @returns whether the file was read completely; if not, the log has the reason
   */
  async import(mempool: Mempool, file: string, options: RestoreChoice, stopping: AbortSignal): Promise<boolean> {
    try {
      await this.#restore(mempool, file, { ...options, stopping });
      return !stopping.aborted;
    } catch (error) {
      this.#deps.log.info(`The mempool file ${file} could not be imported: ${(error as Error).message}`);
      return false;
    }
  }

  /**
   * Writes the mempool as of this call.
   * @returns the file's path
   */
  save(mempool: Mempool): Promise<string> {
    const state = mempool.saved();
    return this.#saving.run(async () => {
      const saved = await state;
      await replaceFile(this.#poolFile, encodePool(saved)).finally(saved.release);
      return this.#poolFile;
    });
  }

  /**
   * Called at the stop, while chain and verifier still work: waits for a running load and for returning transactions,
   * then writes the files. Logs failures.
   */
  async close(mempool: Mempool, persistPool: boolean): Promise<void> {
    const { log } = this.#deps;
    await this.#loading;
    await mempool.settled();
    // A mempool that was not loaded completely would replace a better file.
    if (persistPool && mempool.loaded)
      await this.save(mempool).catch((error: Error) => log.error(`Could not save the mempool: ${error.message}`));
    mempool.forgetFees();
    await this.saveFees(mempool.fees);
  }
}

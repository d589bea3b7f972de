// Reassesses ownership after keys or scripts were added: known coins may be the wallet's now, and so may outputs of
// known transactions. Core calls IsMine whenever it needs the answer. adit decides once, and again when scripts are
// added. Coins are found by script, outputs of others by rows of the database (coins/foreign-outputs.ts), so the cost
// depends on what was added. Keys may come with any change (pools are filled, addresses given out, payments use keys).
// An import waits for the result. The change that adds keys also writes a row that lists the scripts to reassess, or
// says that all are pending. The first change after the reassessment deletes the row. So if the process dies earlier,
// the next load does the work. After a failure, for example of the disk, everything is reassessed.
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import { SerialQueue } from '../lib/serial-queue.js';
import { TimeSlice } from '../lib/time-slice.js';
import { ordersPaying } from './coins/foreign-outputs.js';
import { bytesKeyOf } from './coins/tx-row.js';
import type { ScriptCursor, TouchedScripts } from './keys/key-source.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from './storage/layout.js';
import { bytesOf, packRow, unpackRow } from './storage/rows.js';
import type { WalletBatch } from './storage/wallet-batch.js';
import type { WalletState } from './wallet-state.js';

/** Number of scripts or transactions that one step looks up together. */
const PORTION = 256;
/** Largest number of scripts that the row lists. If there are more, the row says that all scripts are pending. */
const MOST_NAMED = 128;
/** Database key of the list of scripts that still have to be reassessed. */
export const REASSESS_KEY = walletKey(WALLET_PREFIX.reassess);
const NO_CURSOR: ScriptCursor = { keys: 0, programs: 0, scripts: 0, watched: 0 };
const rowsBefore = ({ keys, programs, scripts, watched }: ScriptCursor): number => keys + programs + scripts + watched;

/** Scripts to reassess. 'any': all scripts, and coins whose script is no longer the wallet's. */
type PendingScripts = Exclude<TouchedScripts, null>;

function* portionsOf<T>(items: Iterable<T>): Generator<T[]> {
  let portion: T[] = [];
  for (const item of items) {
    if (portion.push(item) < PORTION) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

export class Reassessor {
  /** Runs one reassessment at a time. */
  readonly #queue = new SerialQueue();
  /** Sets of scripts that wait for reassessment, oldest first. */
  #pending: PendingScripts[] = [];
  /** True if the row of pending scripts (REASSESS_KEY) is in the database. */
  #marked = false;
  /** Scripts that the row of pending scripts lists; null if the row says that all are pending. */
  #named: readonly Uint8Array[] | null = null;
  /** Position in the key tables. Scripts after this cursor are new: checkForNewKeys has not seen them yet. */
  #seen: ScriptCursor = { ...NO_CURSOR };
  /**
   * True while the wallet is being loaded. Its batches then stay open for long, so the database lacks their rows of
   * foreign outputs and reassessment has to wait.
   */
  #loading = false;
  readonly #wallet: WalletState;

  constructor(wallet: WalletState) {
    this.#wallet = wallet;
  }

  /**
   * Makes a change of keys or scripts. The change is on disk when the promise resolves, so that the wallet cannot
   * derive the same keys again after a crash. See Wallet.changeKeys.
   */
  async change<T>(work: (batch: WalletBatch) => T): Promise<T> {
    const { keys, ledger } = this.#wallet;
    const result = await this.#wallet.change((batch) => {
      const before = keys.scriptCursor();
      const made = work(batch);
      this.#seen = keys.scriptCursor();
      const touched = ledger.txs.size > 0 ? keys.touchedScripts(batch.ops, before) : null;
      if (touched !== null) this.#add(touched, batch);
      return made;
    });
    if (!this.#loading && this.#pending.length > 0) await this.#finish();
    return result;
  }

  /** Starts with the loaded keys. @param row row of an earlier process, if any */
  finishLoading(row: Uint8Array | undefined): void {
    this.#loading = true;
    this.#seen = this.#wallet.keys.scriptCursor();
    if (row === undefined) return;
    this.#marked = true;
    this.#named = row.length > 0 ? unpackRow(row).map(bytesOf) : null;
    this.#pending.push(this.#named ?? 'any');
  }
  /**
   * Finishes reassessments that an earlier process left pending.
   * @param isIndexed false: that process wrote no rows of foreign outputs, so this one writes them first
   */
  async finishPending(isIndexed: boolean): Promise<void> {
    const { ledger } = this.#wallet;
    if (!isIndexed) {
      const orders = Array.from(ledger.txs.oldestFirst(), (row) => ledger.txs.order(row));
      await this.#transactions(orders, (tx, batch) => ledger.indexForeignOutputs(tx, batch));
      await this.#wallet.change((batch) => {
        batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
        this.#add('any', batch);
      });
    }
    await this.#finish();
  }
  /**
   * Reassesses the scripts of keys that were added while the wallet was being loaded. From now on, new keys are
   * reassessed at once.
   */
  async startReassessing(): Promise<void> {
    this.#loading = false;
    await this.#finish();
  }
  /** Resolves when all pending reassessments have ended, successfully or not. */
  whenIdle(): Promise<void> {
    return this.#queue.idle();
  }
  /** Checks whether a change added scripts, and if so, adds them to the pending ones. */
  checkForNewKeys(batch: WalletBatch): void {
    const { keys, ledger } = this.#wallet;
    if (!keys.hasNewScripts(this.#seen)) {
      if (!this.#marked || this.#pending.length > 0) return;
      batch.del(REASSESS_KEY);
      this.#marked = false;
      return;
    }
    const from = this.#seen;
    this.#seen = keys.scriptCursor();
    if (ledger.txs.size === 0) return;
    const isFew = rowsBefore(this.#seen) - rowsBefore(from) <= MOST_NAMED;
    const scripts = keys.newScripts(from);
    this.#add(isFew ? [...scripts] : scripts, batch);
    // A failed reassessment stays pending, and nothing waits for it here.
    if (!this.#loading) this.#runPending().catch(() => {});
  }

  #add(scripts: PendingScripts, batch: WalletBatch): void {
    const before = this.#pending.length === 0 ? [] : this.#named;
    this.#pending.push(scripts);
    this.#marked = true;
    if (before === null) return;
    this.#named = Array.isArray(scripts) && before.length + scripts.length <= MOST_NAMED ? [...before, ...scripts] : null;
    batch.put(REASSESS_KEY, this.#named ? packRow(this.#named) : new Uint8Array(0));
  }
  /** Runs all pending reassessments, then deletes the row from the database. */
  async #finish(): Promise<void> {
    await this.#runPending();
    await this.#wallet.change(() => {}, false);
  }
  #runPending(): Promise<void> {
    return this.#queue.run(async () => {
      try {
        for (let next = this.#pending.at(0); next; next = this.#pending.at(0)) {
          await this.#reassessScripts(next);
          this.#pending.shift();
        }
      } catch (error) {
        this.#pending = ['any'];
        throw error;
      }
    });
  }
  async #reassessScripts(due: PendingScripts): Promise<void> {
    const { ledger, keys } = this.#wallet;
    const slice = new TimeSlice();
    if (due === 'any') await this.#inSlices(ledger.coins.rows(), slice, (coin, batch) => ledger.reassessCoin(coin, batch));
    const orders = new Set<number>();
    for (const scripts of portionsOf(due === 'any' ? keys.newScripts({ ...NO_CURSOR }) : due)) {
      await this.#wallet.change((batch) => {
        for (const script of scripts) for (const coin of ledger.coins.ofScript(script)) ledger.reassessCoin(coin, batch);
      }, false);
      for (const order of await this.#wallet.storage.read((store) => ordersPaying(store, scripts))) orders.add(order);
      if (slice.over) await slice.next();
    }
    await this.#transactions(orders, (tx, batch) => ledger.reassessTx(tx, batch));
  }
  async #transactions(orders: Iterable<number>, visit: (tx: TxView, batch: WalletBatch) => void): Promise<void> {
    const slice = new TimeSlice();
    for (const some of portionsOf(orders)) {
      const found = await this.#wallet.storage.read((store) => store.getMany(some.map(bytesKeyOf)));
      await this.#inSlices(found, slice, (bytes, batch) => {
        if (bytes) visit(parseTx(new Uint8Array(bytes), this.#wallet.parts.crypto), batch);
      });
    }
  }
  async #inSlices<T>(items: Iterable<T>, slice: TimeSlice, visit: (item: T, batch: WalletBatch) => unknown): Promise<void> {
    const left = items[Symbol.iterator]();
    for (let more = true; more; ) {
      await this.#wallet.change((batch) => {
        do {
          const next = left.next();
          if (next.done) more = false;
          else visit(next.value, batch);
        } while (more && !slice.over);
      }, false);
      if (more) await slice.next();
    }
  }
}

// Keys or scripts came: coins that are known may be ours now, and so may outputs of known transactions that were not.
// Core asks whose an output is whenever it needs to know; here that is decided once, so it is decided again for scripts
// that come. Coins are found by their scripts, what transactions pay to others by rows (coins/foreign-outputs.ts), so
// that a look costs what came. Keys may come with any change (pools are filled, addresses given out, payments use keys
// up); who imports waits for the look. A row written with the keys names the scripts to look at, or says that all are
// due, until the next change after the look: a process that dies in between does it when the wallet is loaded again,
// and after a look that failed, as a read from a bad disk does, the next one is for everything.
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import { SerialQueue } from '../lib/serial-queue.js';
import { Slicer } from '../lib/slicer.js';
import { ordersPaying } from './coins/foreign-outputs.js';
import { bytesKeyOf } from './coins/tx-row.js';
import type { ScriptCursor, TouchedScripts } from './keys/key-source.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from './storage/layout.js';
import { bytesOf, packRow, unpackRow } from './storage/rows.js';
import type { WalletBatch } from './storage/wallet-batch.js';
import type { WalletState } from './wallet-state.js';

/** Scripts, or transactions, that are looked up together. */
const PORTION = 256;
/** Scripts that the row names at most; with more it says that all are due. */
const MOST_NAMED = 128;
/** The row that says so. */
export const REASSESS_KEY = walletKey(WALLET_PREFIX.reassess);
const NO_CURSOR: ScriptCursor = { keys: 0, programs: 0, scripts: 0, watched: 0 };
const rowsBefore = ({ keys, programs, scripts, watched }: ScriptCursor): number => keys + programs + scripts + watched;

/** Scripts to look at; 'any': all of them, and coins of scripts that are ours no longer. */
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
  /** One at a time. */
  readonly #queue = new SerialQueue();
  /** In the order in which it came. */
  #pending: PendingScripts[] = [];
  /** The row is there. */
  #marked = false;
  /** The scripts that it names, since nothing was due; null: all. */
  #named: readonly Uint8Array[] | null = null;
  /** How far keys were noticed. */
  #seen: ScriptCursor = { ...NO_CURSOR };
  /** While it is loaded batches are open for long: what transactions pay is not in the database yet. */
  #loading = false;
  readonly #wallet: WalletState;

  constructor(wallet: WalletState) {
    this.#wallet = wallet;
  }

  /**
   * A change of keys or scripts, on the disk when it resolves: nothing may derive them again. See Wallet.changeKeys.
   */
  change<T>(work: (batch: WalletBatch) => T): Promise<T> {
    return this.#changed((note) =>
      this.#wallet.change((batch) => {
        const before = this.#wallet.keys.scriptCursor();
        const result = work(batch);
        note(batch, before);
        return result;
      }),
    );
  }
  /** One that has the wallet for itself; see Wallet.changeKeysExclusively. */
  changeExclusively<T>(work: (batch: WalletBatch) => Promise<T>): Promise<T> {
    return this.#changed((note) =>
      this.#wallet.changeExclusively(async (batch) => {
        const before = this.#wallet.keys.scriptCursor();
        const result = await work(batch);
        note(batch, before);
        return result;
      }),
    );
  }
  /** Makes a change, then looks at what it concerns. @param make calls `note` when all is in the batch */
  async #changed<T>(make: (note: (batch: WalletBatch, before: ScriptCursor) => void) => Promise<T>): Promise<T> {
    const { keys, ledger } = this.#wallet;
    const result = await make((batch, before) => {
      this.#seen = keys.scriptCursor();
      const touched = ledger.txs.size > 0 ? keys.touchedScripts(batch.ops, before) : null;
      if (touched !== null) this.#add(touched, batch);
    });
    if (!this.#loading && this.#pending.length > 0) await this.#finish();
    return result;
  }

  /** The keys are those that were loaded. @param row of an earlier process */
  finishLoading(row: Uint8Array | undefined): void {
    this.#loading = true;
    this.#seen = this.#wallet.keys.scriptCursor();
    if (row === undefined) return;
    this.#marked = true;
    this.#named = row.length > 0 ? unpackRow(row).map(bytesOf) : null;
    this.#pending.push(this.#named ?? 'any');
  }
  /** Does what an earlier process left undone. @param isIndexed false: it knew no rows of foreign outputs */
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
  /** Looks at what is known for keys that came while the wallet was loaded, and from now on for all that come. */
  async startReassessing(): Promise<void> {
    this.#loading = false;
    await this.#finish();
  }
  /** Settled when every look that is due is over, however it ended. */
  get whenIdle(): Promise<void> {
    return this.#queue.idle();
  }
  /** Looks at what is known for keys that came with a change, of whatever kind. */
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
    // What failed is due still, and nothing waits for it here.
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
  /** Looks at all that is due, and takes the row away. */
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
    const slicer = new Slicer();
    if (due === 'any') await this.#inSlices(ledger.coins.rows(), slicer, (coin, batch) => ledger.reassessCoin(coin, batch));
    const orders = new Set<number>();
    for (const scripts of portionsOf(due === 'any' ? keys.newScripts({ ...NO_CURSOR }) : due)) {
      await this.#wallet.change((batch) => {
        for (const script of scripts) for (const coin of ledger.coins.ofScript(script)) ledger.reassessCoin(coin, batch);
      }, false);
      for (const order of await this.#wallet.read((store) => ordersPaying(store, scripts))) orders.add(order);
      if (slicer.due) await slicer.pause();
    }
    await this.#transactions(orders, (tx, batch) => ledger.reassessTx(tx, batch));
  }
  async #transactions(orders: Iterable<number>, visit: (tx: TxView, batch: WalletBatch) => void): Promise<void> {
    const slicer = new Slicer();
    for (const some of portionsOf(orders)) {
      const found = await this.#wallet.read((store) => store.getMany(some.map(bytesKeyOf)));
      await this.#inSlices(found, slicer, (bytes, batch) => {
        if (bytes) visit(parseTx(new Uint8Array(bytes), this.#wallet.parts.crypto), batch);
      });
    }
  }
  async #inSlices<T>(items: Iterable<T>, slicer: Slicer, visit: (item: T, batch: WalletBatch) => unknown): Promise<void> {
    const left = items[Symbol.iterator]();
    for (let more = true; more; ) {
      await this.#wallet.change((batch) => {
        do {
          const next = left.next();
          if (next.done) more = false;
          else visit(next.value, batch);
        } while (more && !slicer.due);
      }, false);
      if (more) await slicer.pause();
    }
  }
}

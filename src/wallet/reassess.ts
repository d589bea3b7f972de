// Keys or scripts came: coins that are known may be ours now, and so may outputs of known transactions that were not. Core asks whose an
// output is whenever it needs to know; here that is decided once, so it has to be decided again. Coins are found by their scripts; the
// first import of a loaded wallet reads its transactions, in portions and slices, and leaves a table of what else they pay behind
// (coins/foreign-outputs.ts), so that later imports look at nothing but what they brought. A row says that this is due until it is done:
// a process that dies in between does it, for everything, when the wallet is loaded again; after a look that failed, as a read from a bad
// disk does, the next import does it. Caller: Wallet.
import { Slicer } from '../lib/slicer.js';
import { ForeignOutputs } from './coins/foreign-outputs.js';
import type { ScriptCursor } from './keys/key-source.js';
import { OWNERSHIP } from './keys/ownership.js';
import type { TouchedScripts } from './keys/touched-scripts.js';
import { WALLET_PREFIX, walletKey } from './storage/layout.js';
import type { WalletBatch } from './storage/wallet-batch.js';
import type { Wallet } from './wallet.js';

/** Transactions read together. */
const PORTION = 256;
/** A step of work that found no coin. */
const NO_COIN = -1;
/** The row that says so. */
export const REASSESS_KEY = walletKey(WALLET_PREFIX.reassess);

export class Reassessor {
  /** One at a time. */
  #line: Promise<void> = Promise.resolve();
  /** Changes whose scripts are yet to be looked at. */
  #due = 0;
  /** A look failed: what it was to see is seen by the next, which looks at everything. */
  #missed = false;

  constructor(private readonly wallet: Wallet) {}

  /** A change of keys or scripts; see Wallet.changeKeys. */
  change<T>(work: (batch: WalletBatch) => T): Promise<T> {
    return this.#changed((note) =>
      this.wallet.change((batch) => {
        const before = this.wallet.keys.scriptCursor();
        const result = work(batch);
        note(batch, before);
        return result;
      }),
    );
  }
  /** One that has the wallet for itself; see Wallet.changeKeysAlone. */
  changeAlone<T>(work: (batch: WalletBatch) => Promise<T>): Promise<T> {
    return this.#changed((note) =>
      this.wallet.changeAlone(async (batch) => {
        const before = this.wallet.keys.scriptCursor();
        const result = await work(batch);
        note(batch, before);
        return result;
      }),
    );
  }
  /** Makes a change, then looks at what it concerns. @param make calls `note` when all is in the batch */
  async #changed<T>(make: (note: (batch: WalletBatch, before: ScriptCursor) => void) => Promise<T>): Promise<T> {
    const { keys, ledger } = this.wallet;
    let touched: TouchedScripts = null;
    try {
      const result = await make((batch, before) => {
        if (ledger.txs.size > 0) touched = keys.touchedScripts(batch.ops, before) ?? (this.#missed ? 'any' : null);
        if (touched === null) return;
        batch.put(REASSESS_KEY, new Uint8Array(0));
        this.#due++;
      });
      if (touched !== null) await this.#inLine(touched);
      return result;
    } finally {
      if (touched !== null) this.#due--;
    }
  }
  /** Looks again at everything: what a change that was cut off brought is not known. */
  async finish(): Promise<void> {
    this.#due++;
    try {
      await this.#inLine('any');
    } finally {
      this.#due--;
    }
  }

  #inLine(touched: Exclude<TouchedScripts, null>): Promise<void> {
    const run = this.#line.then(() => this.#look(this.#missed ? 'any' : touched));
    this.#line = run.then(
      () => {
        this.#missed = false;
      },
      () => {
        this.#missed = true;
      },
    );
    return run;
  }
  async #look(touched: Exclude<TouchedScripts, null>): Promise<void> {
    const { wallet } = this;
    const { ledger } = wallet;
    if (touched === 'any') ledger.foreign = null;
    const known = ledger.foreign?.complete === true && !ledger.foreign.overflown ? ledger.foreign : null;
    const rows = new Set<number>();
    const slicer = new Slicer();
    const coins = touched === 'any' ? ledger.coins.rows() : this.#coinsOf(touched, known, rows);
    await this.#inSlices(coins, slicer, (coin, batch) => coin !== NO_COIN && ledger.reassessCoin(coin, batch));
    if (known) await this.#transactions(rows, slicer);
    else await this.#allTransactions(slicer);
    await wallet.change((batch) => {
      if (this.#due === 1) batch.del(REASSESS_KEY);
    });
  }
  /** Coins of scripts. @param rows receives the transactions that may pay them otherwise */
  *#coinsOf(scripts: Iterable<Uint8Array>, foreign: ForeignOutputs | null, rows: Set<number>): Generator<number> {
    const { ledger, keys } = this.wallet;
    for (const script of scripts) {
      yield NO_COIN;
      yield* ledger.coins.ofScript(script);
      if (foreign && keys.isMine(script) !== OWNERSHIP.NO) for (const row of foreign.rowsOf(script)) rows.add(row);
    }
  }
  async #allTransactions(slicer: Slicer): Promise<void> {
    const { ledger } = this.wallet;
    // Given up once, it would be again; begun and not finished, it may lack what came meanwhile.
    if (!ledger.foreign?.overflown) ledger.foreign = new ForeignOutputs();
    await this.#transactions(ledger.txs.oldestFirst(), slicer);
    ledger.foreign.complete = true;
  }
  async #transactions(rows: Iterable<number>, slicer: Slicer): Promise<void> {
    const { wallet } = this;
    const look = async (portion: readonly number[]): Promise<void> => {
      const txs = await wallet.transactions(portion);
      await this.#inSlices(txs, slicer, (tx, batch) => tx && wallet.ledger.reassessTx(tx, batch));
    };
    let portion: number[] = [];
    for (const row of rows) {
      if (portion.push(row) < PORTION) continue;
      await look(portion);
      portion = [];
    }
    if (portion.length > 0) await look(portion);
  }
  async #inSlices<T>(items: Iterable<T>, slicer: Slicer, visit: (item: T, batch: WalletBatch) => unknown): Promise<void> {
    const left = items[Symbol.iterator]();
    for (let more = true; more; ) {
      await this.wallet.change((batch) => {
        do {
          const next = left.next();
          if (next.done) more = false;
          else visit(next.value, batch);
        } while (more && !slicer.due);
      });
      if (more) await slicer.pause();
    }
  }
}

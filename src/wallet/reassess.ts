// Keys or scripts came: coins that are known may be ours now, and so may outputs of known transactions that were not.
// Core asks whose an output is whenever it needs to know; here that is decided once, so it has to be decided again.
// Coins are found by their scripts; the first import of a loaded wallet reads its transactions, in portions and slices,
// and leaves a table of what else they pay behind (coins/foreign-outputs.ts), so that later imports look at nothing but
// what they brought. A row says that this is due until it is done: a process that dies in between does it, for
// everything, when the wallet is loaded again; after a look that failed, as a read from a bad disk does, the next
// import does it. Keys that come in passing (pools are filled, addresses given out, payments use keys up) are noticed
// in every change; a few are looked at in the table in the same turn, many in slices. Without the table all
// transactions are read once, where another copy of the wallet may have given out those keys before.
import { SerialQueue } from '../lib/serial-queue.js';
import { Slicer } from '../lib/slicer.js';
import { ForeignOutputs } from './coins/foreign-outputs.js';
import type { ScriptCursor, TouchedScripts } from './keys/key-source.js';
import { OWNERSHIP } from './keys/ownership.js';
import { WALLET_PREFIX, walletKey } from './storage/layout.js';
import type { WalletBatch } from './storage/wallet-batch.js';
import type { WalletState } from './wallet-state.js';

/** Transactions read together. */
const PORTION = 256;
/** Rows of keys and scripts that are looked at in the turn that they come in. */
const AT_ONCE = 128;
/** Of a wallet of no more transactions all are read to be sure, whether or not anything speaks of another copy. */
const FEW = 5000;
/** The row that says so. */
export const REASSESS_KEY = walletKey(WALLET_PREFIX.reassess);
/** What is known of copies of the wallet: restored from a backup, or its database was. */
export const COPIES_KEY = walletKey(WALLET_PREFIX.copies);
/** Bits of that row. */
export const COPIES = {
  /** All that is known was looked at for every key that came: not so in wallets of earlier versions. */
  LOOKED: 1,
  /** Keys may have been given out by a copy before they came here. */
  GIVE: 2,
} as const;
/**
 * How far a look goes without the table of foreign outputs: through all transactions; the same, unless the table was
 * given up, for scripts that nothing says were paid; or no further than coins.
 */
type Depth = 'sure' | 'unsure' | 'coins';
/** Scripts that came and are yet to be looked at. */
interface Due {
  readonly touched: Exclude<TouchedScripts, null>;
  readonly depth: Depth;
}
const EVERYTHING: Due = { touched: 'any', depth: 'sure' };
const NO_CURSOR: ScriptCursor = { keys: 0, programs: 0, scripts: 0, watched: 0 };
const rowsBefore = ({ keys, programs, scripts, watched }: ScriptCursor): number => keys + programs + scripts + watched;

export class Reassessor {
  /** One at a time. */
  readonly #looks = new SerialQueue();
  /** In the order in which it came; after a look that failed, everything. */
  #due: Due[] = [];
  /** The row is there. */
  #marked = false;
  /** How far keys were noticed. */
  #seen: ScriptCursor = { ...NO_CURSOR };
  /** While it is loaded keys may come, and what they are paid is yet to be read. */
  #loading = false;
  #copied = false;
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
      }, true),
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
      }, true),
    );
  }
  /** Makes a change, then looks at what it concerns. @param make calls `note` when all is in the batch */
  async #changed<T>(make: (note: (batch: WalletBatch, before: ScriptCursor) => void) => Promise<T>): Promise<T> {
    const { keys, ledger } = this.#wallet;
    const result = await make((batch, before) => {
      if (!this.#loading) this.#seen = keys.scriptCursor();
      this.#wallet.freshSeed = false;
      // Ranges that are filled from here on were somebody's before.
      if (this.#wallet.descriptors && keys.hasNewScripts(before)) this.giveElsewhere(batch);
      const touched = ledger.txs.size > 0 ? keys.touchedScripts(batch.ops, before) : null;
      if (touched !== null) this.#add({ touched, depth: 'sure' }, batch);
    });
    if (this.#due.length > 0) await this.#look();
    return result;
  }
  /** Looks again at everything: what a change that was cut off brought is not known. */
  async finish(): Promise<void> {
    await this.#wallet.change((batch) => this.#add(EVERYTHING, batch));
    await this.#look();
    await this.#wallet.change((batch) => this.#writeCopies(batch));
  }

  /** The keys are those that were loaded: see Wallet.loaded. */
  begin(copied: boolean): void {
    this.#copied = copied;
    this.#loading = true;
    this.#seen = this.#wallet.keys.scriptCursor();
  }
  /** Notices keys from now on, and those that came while the wallet was loaded. */
  async noticeAll(): Promise<void> {
    await this.#wallet.change(() => {
      this.#loading = false;
    });
    await this.looked;
    await this.#settle();
  }
  /** Settled when every look that is due is over, however it ended. */
  get looked(): Promise<void> {
    return this.#looks.idle();
  }
  /** Looks at what is known for keys that came with a change, of whatever kind. */
  notice(batch: WalletBatch): void {
    const { keys, ledger } = this.#wallet;
    if (!keys.hasNewScripts(this.#seen)) return;
    if (this.#loading) {
      if (ledger.txs.size > 0) this.#mark(batch);
      return;
    }
    if (ledger.txs.size === 0) {
      ledger.foreign ??= new ForeignOutputs(true);
      this.#seen = keys.scriptCursor();
      return;
    }
    const table = this.#table;
    const unread = table === null && this.#mayBePaid(batch);
    const from = this.#seen;
    this.#seen = keys.scriptCursor();
    const many = rowsBefore(this.#seen) - rowsBefore(from) > AT_ONCE;
    // Random keys that nobody was told of.
    if (many && this.#wallet.freshSeed && table === null) return;
    let scripts: Iterable<Uint8Array> = keys.newScripts(from);
    if (!many) {
      const found = [...scripts].filter((script) => unread || table?.has(script) || this.#isMisjudged(script));
      if (found.length === 0) return;
      scripts = found;
    }
    this.#add({ touched: scripts, depth: table ? 'sure' : unread ? 'unsure' : 'coins' }, batch);
    // What failed is due still, and nothing waits for it here.
    this.#look().catch(() => {});
  }
  /** Whether coins of a script count as what it is no longer. */
  #isMisjudged(script: Uint8Array): boolean {
    const { keys, ledger } = this.#wallet;
    const [coin] = ledger.coins.ofScript(script);
    return coin !== undefined && ledger.coins.ownership(coin) !== keys.isMine(script);
  }
  /** Whether transactions that were known before may pay keys that come now, when no table says so. */
  #mayBePaid(batch: WalletBatch): boolean {
    const { keys, ledger } = this.#wallet;
    if (keys.usedAhead) {
      keys.usedAhead = false;
      this.#wallet.freshSeed = false;
      this.giveElsewhere(batch);
    }
    if (this.#wallet.freshSeed || ledger.foreign?.overflown) return false;
    return this.#copied || ledger.txs.size <= FEW;
  }
  /** See Wallet.giveElsewhere. */
  giveElsewhere(batch: WalletBatch): void {
    if (this.#copied) return;
    this.#copied = true;
    this.#writeCopies(batch);
  }
  #writeCopies(batch: WalletBatch): void {
    batch.put(COPIES_KEY, Uint8Array.of(COPIES.LOOKED | (this.#copied ? COPIES.GIVE : 0)));
  }
  /** What known transactions pay to others, where all of it is known. */
  get #table(): ForeignOutputs | null {
    const { foreign } = this.#wallet.ledger;
    return foreign?.complete === true && !foreign.overflown ? foreign : null;
  }

  #add(due: Due, batch: WalletBatch): void {
    this.#due.push(due);
    this.#mark(batch);
  }
  #mark(batch: WalletBatch): void {
    if (!this.#marked) batch.put(REASSESS_KEY, new Uint8Array(0));
    this.#marked = true;
  }
  /** Takes the row away once nothing is due. */
  #settle(): Promise<void> {
    return this.#wallet.change((batch) => {
      const { keys } = this.#wallet;
      if (!this.#marked || this.#due.length > 0 || (this.#loading && keys.hasNewScripts(this.#seen))) return;
      batch.del(REASSESS_KEY);
      this.#marked = false;
    });
  }
  /** Looks at all that is due. */
  #look(): Promise<void> {
    return this.#looks.run(async () => {
      try {
        for (let next = this.#due.at(0); next; next = this.#due.at(0)) {
          await this.#lookAt(next);
          this.#due.shift();
        }
      } catch (error) {
        this.#due = [EVERYTHING];
        throw error;
      }
      await this.#settle();
    });
  }
  async #lookAt({ touched, depth }: Due): Promise<void> {
    const { ledger, keys } = this.#wallet;
    const slicer = new Slicer();
    if (touched === 'any') ledger.foreign = null;
    const known = this.#table;
    const rows = new Set<number>();
    if (touched === 'any') await this.#inSlices(ledger.coins.rows(), slicer, (coin, batch) => ledger.reassessCoin(coin, batch));
    else {
      await this.#inSlices(touched, slicer, (script, batch) => {
        for (const coin of ledger.coins.ofScript(script)) ledger.reassessCoin(coin, batch);
        if (known && keys.isMine(script) !== OWNERSHIP.NO) for (const row of known.rowsOf(script)) rows.add(row);
      });
    }
    if (known) return this.#transactions([...rows], slicer);
    if (depth === 'coins' || (depth === 'unsure' && ledger.foreign?.overflown)) return;
    // Given up once, it would be again; begun and not finished, it may lack what came meanwhile.
    if (!ledger.foreign?.overflown) ledger.foreign = new ForeignOutputs();
    await this.#transactions([...ledger.txs.oldestFirst()], slicer);
    ledger.foreign.complete = true;
  }
  async #transactions(rows: readonly number[], slicer: Slicer): Promise<void> {
    const { ledger } = this.#wallet;
    for (let from = 0; from < rows.length; from += PORTION) {
      const txs = await this.#wallet.transactions(rows.slice(from, from + PORTION));
      await this.#inSlices(txs, slicer, (tx, batch) => tx && ledger.reassessTx(tx, batch));
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
      });
      if (more) await slicer.pause();
    }
  }
}

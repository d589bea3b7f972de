// Keeps a copy of bitcoind's mempool for the stream of actions, updated from lists of its ids. It knows the inputs and
// fees of each entry.
import type { Coin, Made } from './coins.js';
import type { Ledger } from './ledger.js';

export interface PoolEntry {
  readonly made: Made;
  /** In satoshis, with the delta of prioritisetransaction. */
  fee: number;
}

export class Pool {
  readonly #ledger: Ledger;
  readonly #entries = new Map<string, PoolEntry>();
  /** Coins that entries spend, by outpoint, with the entry's id. */
  readonly #spends = new Map<string, { readonly coin: Coin; readonly by: string }>();
  /** Fee deltas by id, for transactions in the mempool and others. */
  readonly #added = new Map<string, number>();
  #ids: readonly string[] = [];
  #unspent: readonly Coin[] | undefined;
  #contested: readonly Coin[] | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Updates the copy to the present content. @param ids in any order, because bitcoind's order differs from run to run */
  follow(ids: readonly string[]): void {
    const now = new Set(ids);
    const gone = this.#ids.filter((id) => !now.has(id));
    const come = ids.filter((id) => !this.#entries.has(id)).sort();
    if (gone.length === 0 && come.length === 0) return;
    for (const id of gone) this.#remove(id);
    for (const id of come) this.#insert(id);
    this.#ids = [...this.#entries.keys()];
    this.#unspent = undefined;
    this.#contested = undefined;
  }

  /** Ids of all entries, in the same order in every run. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  get(id: string): PoolEntry | undefined {
    return this.#entries.get(id);
  }

  /** Outputs of entries that no entry spends. */
  get unspent(): readonly Coin[] {
    this.#unspent ??= [...this.#entries.values()].flatMap(({ made }) => made.coins.filter(({ outpoint }) => !this.#spends.has(outpoint)));
    return this.#unspent;
  }

  /** Coins that entries spend. */
  get contested(): readonly Coin[] {
    this.#contested ??= [...this.#spends.values()].map(({ coin }) => coin);
    return this.#contested;
  }

  /** Id of the entry that spends a coin. */
  spender(coin: Coin): string | undefined {
    return this.#spends.get(coin.outpoint)?.by;
  }

  /** Returns these entries and all their descendants. */
  withDescendants(ids: Iterable<string>): Set<string> {
    const found = new Set(ids);
    for (const id of found) {
      for (const coin of this.#entries.get(id)?.made.coins ?? []) {
        const by = this.spender(coin);
        if (by !== undefined) found.add(by);
      }
    }
    return found;
  }

  /** Ids with parents before children. */
  inOrder(): string[] {
    const found = new Set<string>();
    const visit = (id: string): void => {
      if (found.has(id)) return;
      for (const parent of this.parents(id)) visit(parent);
      found.add(id);
    };
    for (const id of this.#ids) visit(id);
    return [...found];
  }

  /** Returns the unconfirmed parents of an entry. */
  parents(id: string): string[] {
    const spent = this.#entries.get(id)?.made.spent ?? [];
    return spent.map(({ outpoint }) => outpoint.slice(0, 64)).filter((parent) => this.#entries.has(parent));
  }

  prioritise(id: string, satoshis: number): void {
    this.#added.set(id, (this.#added.get(id) ?? 0) + satoshis);
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.fee += satoshis;
  }

  #insert(id: string): void {
    const made = this.#ledger.made.get(id);
    if (made === undefined) throw new Error(`bitcoind holds a transaction that was not made here: ${id}`);
    const sum = (list: readonly { value: number }[]): number => list.reduce((all, { value }) => all + value, 0);
    this.#entries.set(id, { made, fee: sum(made.spent) - sum(made.tx.outs) + (this.#added.get(id) ?? 0) });
    for (const coin of made.spent) this.#spends.set(coin.outpoint, { coin, by: id });
  }

  #remove(id: string): void {
    for (const { outpoint } of this.#entries.get(id)?.made.spent ?? []) {
      if (this.#spends.get(outpoint)?.by === id) this.#spends.delete(outpoint);
    }
    this.#entries.delete(id);
  }
}

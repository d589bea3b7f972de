// Model of a wallet's history: a plain list from which every answer is computed again each time. Tests compare the real
// tables, indexes and sums with it. Follows Core 0.21's behaviour line by line. Ids are display hex.

/** A transaction as the model sees it. */
export interface PlainTx {
  readonly txid: string;
  readonly inputs: readonly { readonly txid: string; readonly vout: number; readonly sequence: number }[];
  readonly outputs: readonly { readonly script: string; readonly value: number }[];
  readonly coinbase: boolean;
  /** The transaction without signatures, as text: equal for transactions that differ only in their signatures. */
  readonly body: string;
}

export interface PlainBlock {
  readonly hash: string;
  readonly height: number;
  readonly time: number;
  readonly prev: PlainBlock | null;
  readonly txs: readonly PlainTx[];
}

type State = 'unconfirmed' | 'confirmed' | 'conflicted' | 'abandoned';

export interface PlainRecord {
  readonly tx: PlainTx;
  state: State;
  block: PlainBlock | null;
  position: number;
  received: number;
  smart: number;
  values: Record<string, string>;
  inMempool: boolean;
}

/** Relation of a script to the wallet. */
export interface PlainScript {
  readonly mine: 0 | 1 | 2;
  readonly address: string | undefined;
}

/** The node's mempool. */
export type PlainPool = ReadonlyMap<string, PlainTx>;

const COINBASE_MATURITY = 100;
type Entry = Record<string, unknown>;
const btc = (sats: number): number => sats / 1e8;
/** Returns a sort key for the byte order of txids. */
export const rawOrder = (txid: string): string => Buffer.from(txid, 'hex').reverse().toString('hex');

export class NaiveWallet {
  /** Records in order of arrival. */
  records: PlainRecord[] = [];
  tip: PlainBlock;

  constructor(
    readonly scripts: ReadonlyMap<string, PlainScript>,
    /** Labels by address. */
    readonly book: ReadonlyMap<string, string>,
    genesis: PlainBlock,
    readonly pool: PlainPool,
  ) {
    this.tip = genesis;
  }
  copy(): NaiveWallet {
    const twin = new NaiveWallet(this.scripts, this.book, this.tip, this.pool);
    twin.records = this.records.map((record) => ({ ...record, values: { ...record.values } }));
    return twin;
  }

  // -- events

  find(txid: string): PlainRecord | undefined {
    return this.records.find((record) => record.tx.txid === txid);
  }
  #script(script: string): PlainScript & { readonly label: string | undefined } {
    const known = this.scripts.get(script) ?? { mine: 0, address: undefined };
    return { ...known, label: known.address === undefined ? undefined : this.book.get(known.address) };
  }
  /** Returns the wallet's output that an input spends. */
  #coin(input: { txid: string; vout: number }): { value: number; mine: number; record: PlainRecord } | undefined {
    const record = this.find(input.txid);
    const output = record?.tx.outputs[input.vout];
    const mine = output ? this.#script(output.script).mine : 0;
    return record && output && mine !== 0 ? { value: output.value, mine, record } : undefined;
  }
  #spenders(txid: string, vout: number): PlainRecord[] {
    return this.records.filter(({ tx }) => !tx.coinbase && tx.inputs.some((input) => input.txid === txid && input.vout === vout));
  }
  see(tx: PlainTx, block: PlainBlock | null, position: number, now: number): void {
    if (block && !tx.coinbase) {
      for (const input of tx.inputs) {
        for (const rival of this.#spenders(input.txid, input.vout)) if (rival.tx.txid !== tx.txid) this.#conflict(rival, block);
      }
    }
    const concerns = tx.outputs.some(({ script }) => this.#script(script).mine !== 0) || this.debit(tx, 3) > 0;
    if (!this.find(tx.txid) && !concerns) return;
    this.put(tx, block, position, now, {});
  }
  put(tx: PlainTx, block: PlainBlock | null, position: number, now: number, values: Record<string, string>): void {
    const known = this.find(tx.txid);
    const state: State = block ? 'confirmed' : 'unconfirmed';
    if (known) {
      if (known.state !== state) Object.assign(known, { state, block, position });
      return;
    }
    const record: PlainRecord = { tx, state, block, position, received: now, smart: now, values: { ...values }, inMempool: false };
    if (block) {
      const latest = this.records.findLast((other) => (other.smart || other.received) <= now + 300);
      const latestTime = latest ? latest.smart || latest.received : 0;
      record.smart = Math.max(latestTime, Math.min(block.time, Math.max(now, latestTime)));
    }
    this.records.push(record);
    if (tx.coinbase) return;
    const twins = this.records.filter((other) =>
      other.tx.inputs.some((a) => tx.inputs.some((b) => a.txid === b.txid && a.vout === b.vout)),
    );
    const oldest = twins[0];
    if (oldest !== record && oldest.tx.body === tx.body) {
      Object.assign(record.values, oldest.values);
      record.smart = oldest.smart;
    }
  }
  #conflict(first: PlainRecord, block: PlainBlock): void {
    const depth = -(this.tip.height - block.height + 1);
    // A conflict with a block that has left the chain no longer counts.
    const stands = first.block === null || this.#inChain(first.block);
    if (depth >= 0 || (stands && depth >= this.depth(first))) return;
    Object.assign(first, { state: 'conflicted', block, position: -1 });
    for (let vout = 0; vout < first.tx.outputs.length; vout++) {
      for (const child of this.#spenders(first.tx.txid, vout)) this.#conflict(child, block);
    }
  }
  #inChain(block: PlainBlock): boolean {
    let at: PlainBlock | null = this.tip;
    while (at && at.height > block.height) at = at.prev;
    return at === block;
  }
  #confirmedRivals(tx: PlainTx): PlainRecord[] {
    if (tx.coinbase) return [];
    const spenders = tx.inputs.flatMap(({ txid, vout }) => this.#spenders(txid, vout));
    return spenders.filter((rival) => rival.tx.txid !== tx.txid && rival.state === 'confirmed');
  }
  /** Returns unconfirmed payments that can never confirm, because a confirmed transaction spends one of their coins. */
  hopeless(): PlainRecord[] {
    return this.records.filter(({ state, tx }) => state === 'unconfirmed' && this.#confirmedRivals(tx).length > 0);
  }
  connect(block: PlainBlock, now: number): void {
    this.tip = block;
    block.txs.forEach((tx, position) => {
      this.see(tx, block, position, now);
      const record = this.find(tx.txid);
      if (record) record.inMempool = false;
    });
  }
  disconnect(block: PlainBlock, now: number): void {
    this.tip = block.prev!;
    for (const tx of block.txs) this.see(tx, null, -1, now);
  }
  entered(tx: PlainTx, now: number): void {
    this.see(tx, null, -1, now);
    const record = this.find(tx.txid);
    if (record) record.inMempool = true;
  }
  left(tx: PlainTx, conflict: boolean, now: number): void {
    const record = this.find(tx.txid);
    if (record) record.inMempool = false;
    if (conflict) this.see(tx, null, -1, now);
  }
  abandon(record: PlainRecord): boolean {
    if (this.depth(record) !== 0 || record.inMempool) return false;
    if (record.state === 'abandoned') return true;
    Object.assign(record, { state: 'abandoned', block: null, position: -1 });
    for (let vout = 0; vout < record.tx.outputs.length; vout++) {
      for (const child of this.#spenders(record.tx.txid, vout)) if (this.depth(child) === 0) this.#abandonChild(child);
    }
    return true;
  }
  #abandonChild(record: PlainRecord): void {
    if (record.state === 'abandoned') return;
    Object.assign(record, { state: 'abandoned', block: null, position: -1 });
    for (let vout = 0; vout < record.tx.outputs.length; vout++) {
      for (const child of this.#spenders(record.tx.txid, vout)) if (this.depth(child) === 0) this.#abandonChild(child);
    }
  }
  /**
   * Models a reload of the wallet: transactions that are not in a block up to the fork become unconfirmed. Later blocks
   * arrive as events.
   */
  restart(fork: PlainBlock): void {
    const chain = new Set<PlainBlock>();
    for (let at: PlainBlock | null = fork; at; at = at.prev) chain.add(at);
    this.tip = fork;
    for (const record of this.records) {
      record.inMempool = false;
      if (record.block && !chain.has(record.block)) Object.assign(record, { state: 'unconfirmed', block: null, position: -1 });
    }
    for (const record of this.hopeless()) for (const { block } of this.#confirmedRivals(record.tx)) this.#conflict(record, block!);
  }

  // -- answers

  depth({ state, block }: PlainRecord): number {
    if (state === 'confirmed') return this.tip.height - block!.height + 1;
    return state === 'conflicted' && this.#inChain(block!) ? -(this.tip.height - block!.height + 1) : 0;
  }
  debit(tx: PlainTx, filter: number): number {
    if (tx.coinbase) return 0;
    let sum = 0;
    for (const input of tx.inputs) {
      const coin = this.#coin(input);
      if (coin && (coin.mine & filter) !== 0) sum += coin.value;
    }
    return sum;
  }
  trusted(record: PlainRecord): boolean {
    const depth = this.depth(record);
    if (depth >= 1) return true;
    if (depth < 0 || this.debit(record.tx, 3) === 0 || !record.inMempool) return false;
    return record.tx.inputs.every((input) => {
      const coin = this.#coin(input);
      return coin !== undefined && coin.mine === 2 && this.trusted(coin.record);
    });
  }
  #immature(record: PlainRecord): boolean {
    return record.tx.coinbase && COINBASE_MATURITY + 1 - this.depth(record) > 0;
  }
  #isSpent(record: PlainRecord, vout: number): boolean {
    return this.#spenders(record.tx.txid, vout).some((spender) => {
      const depth = this.depth(spender);
      return depth > 0 || (depth === 0 && spender.state !== 'abandoned');
    });
  }
  balances(mine: 1 | 2): { trusted: number; untrusted_pending: number; immature: number } {
    let [trusted, pending, immature] = [0, 0, 0];
    for (const record of this.records) {
      record.tx.outputs.forEach((output, vout) => {
        if (this.#script(output.script).mine !== mine) return;
        if (this.#immature(record)) {
          if (this.depth(record) > 0) immature += output.value;
          return;
        }
        if (this.#isSpent(record, vout)) return;
        if (this.trusted(record)) trusted += output.value;
        else if (this.depth(record) === 0 && record.inMempool) pending += output.value;
      });
    }
    return { trusted: btc(trusted), untrusted_pending: btc(pending), immature: btc(immature) };
  }
  unspent(): Entry[] {
    const found: Entry[] = [];
    for (const record of this.#byTxid(this.records)) {
      const depth = this.depth(record);
      if (depth < 0 || this.#immature(record) || (depth === 0 && !record.inMempool)) continue;
      record.tx.outputs.forEach((output, vout) => {
        const { mine, address, label } = this.#script(output.script);
        if (mine === 0 || this.#isSpent(record, vout)) return;
        const replaced = depth === 0 && ('replaces_txid' in record.values || 'replaced_by_txid' in record.values);
        const facts = { amount: btc(output.value), confirmations: depth, spendable: mine === 2, safe: this.trusted(record) && !replaced };
        found.push({ txid: record.tx.txid, vout, address, ...(label === undefined ? {} : { label }), ...facts });
      });
    }
    return found;
  }
  #byTxid(records: readonly PlainRecord[]): PlainRecord[] {
    return [...records].sort((a, b) => (rawOrder(a.tx.txid) < rawOrder(b.tx.txid) ? -1 : 1));
  }
  #signals(tx: PlainTx): boolean {
    return tx.inputs.some((input) => input.sequence <= 0xfffffffd);
  }
  #replaceable(record: PlainRecord): string {
    if (this.depth(record) > 0) return 'no';
    if (this.#signals(record.tx)) return 'yes';
    if (!this.pool.has(record.tx.txid)) return 'unknown';
    const inherits = (tx: PlainTx): boolean =>
      tx.inputs.some((input) => {
        const parent = this.pool.get(input.txid);
        return parent !== undefined && (this.#signals(parent) || inherits(parent));
      });
    return inherits(record.tx) ? 'yes' : 'no';
  }
  #common(record: PlainRecord): Entry {
    const depth = this.depth(record);
    const { tx, block } = record;
    const rivals = this.#byTxid(
      this.records.filter(
        (other) => other !== record && other.tx.inputs.some((a) => tx.inputs.some((b) => a.txid === b.txid && a.vout === b.vout)),
      ),
    );
    return {
      confirmations: depth,
      ...(tx.coinbase ? { generated: true } : {}),
      ...(depth > 0
        ? { blockhash: block!.hash, blockheight: block!.height, blockindex: record.position, blocktime: block!.time }
        : { trusted: this.trusted(record) }),
      txid: tx.txid,
      walletconflicts: tx.coinbase ? [] : rivals.map((other) => other.tx.txid),
      time: record.smart,
      timereceived: record.received,
      'bip125-replaceable': this.#replaceable(record),
      ...Object.fromEntries(Object.entries(record.values).sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
  /** Computes the entries of Core's ListTransactions. */
  entries(record: PlainRecord, filter: number, options: { minDepth?: number; label?: string; long?: boolean } = {}): Entry[] {
    const { minDepth = 0, label, long = true } = options;
    const { tx } = record;
    const debit = this.debit(tx, filter);
    const fee = btc(tx.outputs.reduce((sum, output) => sum + output.value, 0) - debit);
    const fromWatched = this.debit(tx, 1) > 0;
    const [sent, received]: [Entry[], Entry[]] = [[], []];
    tx.outputs.forEach((output, vout) => {
      const own = this.#script(output.script);
      if (debit > 0 ? own.mine !== 0 && own.label === undefined : (own.mine & filter) === 0) return;
      const head = {
        ...(fromWatched || own.mine === 1 ? { involvesWatchonly: true } : {}),
        ...(own.address === undefined ? {} : { address: own.address }),
      };
      const shown = own.label === undefined ? {} : { label: own.label };
      const common = long ? this.#common(record) : {};
      const amount = btc(output.value);
      if (debit > 0) {
        const gone = record.state === 'abandoned';
        sent.push({ ...head, category: 'send', amount: -amount || 0, ...shown, vout, fee, ...common, abandoned: gone });
      }
      if ((own.mine & filter) === 0 || (label !== undefined && (own.label ?? '') !== label)) return;
      received.push({ ...head, category: this.#category(record), amount, ...shown, vout, ...common });
    });
    return [...(label === undefined ? sent : []), ...(this.depth(record) >= minDepth ? received : [])];
  }
  #category(record: PlainRecord): string {
    if (!record.tx.coinbase) return 'receive';
    if (this.depth(record) < 1) return 'orphan';
    return this.depth(record) <= COINBASE_MATURITY ? 'immature' : 'generate';
  }
  gettransaction(record: PlainRecord, filter: number): Entry {
    const debit = this.debit(record.tx, filter);
    const out = record.tx.outputs.reduce((sum, output) => sum + output.value, 0);
    const own = record.tx.outputs.reduce((sum, output) => sum + ((this.#script(output.script).mine & filter) === 0 ? 0 : output.value), 0);
    const fee = debit > 0 ? out - debit : 0;
    const credit = this.#immature(record) ? 0 : own;
    const details = this.entries(record, filter, { long: false });
    return { amount: btc(credit - debit - fee) || 0, ...(debit > 0 ? { fee: btc(fee) } : {}), ...this.#common(record), details };
  }
  listtransactions(filter: number, count: number, skip: number, label?: string): Entry[] {
    const all = this.records.toReversed().flatMap((record) => this.entries(record, filter, { label }));
    return all.slice(skip, skip + count).reverse();
  }
  listsinceblock(block: PlainBlock | null, filter: number): { transactions: Entry[]; removed: Entry[] } {
    const active = new Set<PlainBlock>();
    for (let at: PlainBlock | null = this.tip; at; at = at.prev) active.add(at);
    const removed: Entry[] = [];
    let fork = block;
    for (; fork && !active.has(fork); fork = fork.prev) {
      for (const tx of fork.txs) {
        const record = this.find(tx.txid);
        if (record) removed.push(...this.entries(record, filter, { minDepth: -1e8 }));
      }
    }
    const limit = fork ? this.tip.height + 1 - fork.height : Number.POSITIVE_INFINITY;
    const recent = this.#byTxid(this.records).filter((record) => Math.abs(this.depth(record)) < limit);
    return { transactions: recent.flatMap((record) => this.entries(record, filter)), removed };
  }
  /** Returns the sum, the least depth and the transactions of the payments to an address. */
  received(address: string, minDepth: number): { amount: number; confirmations: number; txids: string[] } {
    let amount = 0;
    let depth = Number.POSITIVE_INFINITY;
    const txids: string[] = [];
    for (const record of this.#byTxid(this.records)) {
      if (record.tx.coinbase || this.depth(record) < minDepth) continue;
      for (const output of record.tx.outputs) {
        if (this.#script(output.script).address !== address) continue;
        amount += output.value;
        depth = Math.min(depth, this.depth(record));
        txids.push(record.tx.txid);
      }
    }
    return { amount: btc(amount), confirmations: Number.isFinite(depth) ? depth : 0, txids };
  }
  /** Returns the groups of addresses with their balances (listaddressgroupings). */
  groupings(): Map<string, { group: string; balance: number }> {
    const sets: Set<string>[] = [];
    const join = (addresses: readonly string[]): void => {
      if (addresses.length === 0) return;
      const touched = sets.filter((set) => addresses.some((address) => set.has(address)));
      const whole = new Set([...addresses, ...touched.flatMap((set) => [...set])]);
      for (const set of touched) sets.splice(sets.indexOf(set), 1);
      sets.push(whole);
    };
    const balances = new Map<string, number>();
    for (const record of this.records) {
      const { tx } = record;
      const own = (scripts: readonly string[]): string[] =>
        scripts.flatMap((script) =>
          this.#script(script).mine !== 0 && this.#script(script).address ? [this.#script(script).address!] : [],
        );
      const inputs = tx.coinbase
        ? []
        : tx.inputs.flatMap((input) => (this.#coin(input) ? [this.find(input.txid)!.tx.outputs[input.vout].script] : []));
      const change = tx.outputs.map((output) => output.script).filter((script) => this.#script(script).label === undefined);
      if (inputs.length > 0) join([...own(inputs), ...own(change)]);
      for (const address of own(tx.outputs.map((output) => output.script))) join([address]);
      if (!this.trusted(record) || this.#immature(record)) continue;
      tx.outputs.forEach((output, vout) => {
        const { mine, address } = this.#script(output.script);
        if (mine !== 0 && address && !this.#isSpent(record, vout)) balances.set(address, (balances.get(address) ?? 0) + output.value);
      });
    }
    const answer = new Map<string, { group: string; balance: number }>();
    for (const set of sets) {
      const group = [...set].sort().join();
      for (const address of set) answer.set(address, { group, balance: btc(balances.get(address) ?? 0) });
    }
    return answer;
  }
}

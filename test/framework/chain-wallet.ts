// Compares a daemon's replies about the confirmed history of a wallet with the model of random histories
// (naive-wallet.ts). The model knows only the blocks of the best chain and the addresses that the wallet gave out.
// Tests kill the daemons, so transactions in the mempool may be lost; both sides therefore ignore these transactions
// and the times of arrival. The model produces the replies of 0.21.1, so the daemons run with that -compat.
import type { Daemon } from './daemon.js';
import { NaiveWallet, type PlainBlock, type PlainScript, type PlainTx } from './naive-wallet.js';

type Entry = Record<string, unknown>;
type Call = readonly [method: string, ...params: unknown[]];

interface BlockReply {
  readonly hash: string;
  readonly height: number;
  readonly time: number;
  readonly previousblockhash?: string;
  readonly tx: readonly {
    readonly txid: string;
    readonly vin: readonly { readonly coinbase?: string; readonly txid: string; readonly vout: number; readonly sequence: number }[];
    readonly vout: readonly {
      readonly value: number;
      readonly scriptPubKey: { readonly hex: string; readonly type: string; readonly addresses?: readonly string[] };
    }[];
  }[];
}

/** Number of the newest transactions that are also requested one by one. */
const MOST_SINGLE = 60;

/**
 * Removes the facts that the chain does not contain: when the wallet received a transaction, and which other versions
 * of it arrived.
 */
function known<T extends Entry>(entry: T): Entry {
  const { time: _t, timereceived: _r, walletconflicts: _w, hex: _h, ...rest } = entry;
  return rest;
}
const confirmed = (entries: readonly Entry[]): Entry[] => entries.filter(({ confirmations }) => (confirmations as number) > 0).map(known);

/** Comparison for one daemon. Blocks that were read are cached. */
export class ChainWallet {
  readonly #blocks = new Map<string, PlainBlock>();
  /** Scripts by address. */
  readonly #scripts = new Map<string, string>();
  /** Scripts of all outputs, with the addresses that histories show. */
  readonly #paid = new Map<string, PlainScript>();

  constructor(private readonly node: Daemon) {}

  /**
   * Compares balances, coins, histories, received sums and facts about addresses.
   * @param labels labels of all addresses of the wallet that may have been paid; undefined for change
   * @returns the differences
   */
  async compare(wallet: string, labels: ReadonlyMap<string, string | undefined>): Promise<string[]> {
    const wrong: string[] = [];
    const equal = (what: string, got: unknown, want: unknown): void => {
      const [a, b] = [JSON.stringify(got) ?? 'nothing', JSON.stringify(want) ?? 'nothing'];
      if (a === b) return;
      let at = 0;
      while (a[at] === b[at]) at++;
      const part = (text: string): string => text.slice(Math.max(0, at - 150), at + 150);
      wrong.push(`${wallet}: ${what}: ...${part(a)}..., not ...${part(b)}...`);
    };
    const tip = await this.#tip();
    const scripts = await this.#scriptsOf([...labels.keys()]);
    const model = this.#model(tip, scripts, labels);

    const records = model.records.slice(-MOST_SINGLE);
    const addresses = [...labels.keys()];
    const since = tip.prev?.prev?.prev ?? null;
    const [balances, unspent, all, recent, received, ...single] = (await this.#ask(wallet, [
      ['getbalances'],
      ['listunspent', 1],
      ['listsinceblock'],
      ['listsinceblock', since?.hash ?? ''],
      ['listreceivedbyaddress', 1],
      ...records.map(({ tx }): Call => ['gettransaction', tx.txid]),
      ...addresses.map((address): Call => ['getaddressinfo', address]),
    ])) as [{ mine: Entry }, Entry[], { transactions: Entry[] }, { transactions: Entry[] }, Entry[], ...Entry[]];

    equal('getbalances', balances.mine, model.balances(2));
    equal(
      'listunspent',
      unspent.map(({ scriptPubKey: _s, solvable: _v, desc: _d, redeemScript: _r, ...rest }) => rest),
      model.unspent(),
    );
    const history = (block: PlainBlock | null): Entry[] => model.listsinceblock(block, 2).transactions.map(known);
    equal('listsinceblock', confirmed(all.transactions), history(null));
    equal(`listsinceblock ${since?.height}`, confirmed(recent.transactions), history(since));
    for (const [i, record] of records.entries()) {
      equal(`gettransaction ${record.tx.txid}`, known(single[i]!), known(model.gettransaction(record, 2)));
    }
    const sums = new Map(received.map(({ address, amount, txids }) => [address, { amount, txids }]));
    for (const [i, address] of addresses.entries()) {
      const label = labels.get(address);
      const { ismine, scriptPubKey, labels: shown } = single[records.length + i]!;
      const want = { ismine: true, scriptPubKey: scripts.get(address), labels: label === undefined ? [] : [label] };
      equal(`getaddressinfo ${address}`, { ismine, scriptPubKey, labels: shown }, want);
      // Lists of received payments do not contain change.
      if (label === undefined) continue;
      const { amount, txids } = model.received(address, 1);
      equal(`listreceivedbyaddress ${address}`, sums.get(address), txids.length > 0 ? { amount, txids } : undefined);
    }
    return wrong;
  }

  async #ask(wallet: string | null, calls: readonly Call[]): Promise<unknown[]> {
    const batch = calls.map(([method, ...params], id) => ({ id, method, params }));
    const { body } = await this.node.post(JSON.stringify(batch), wallet === null ? {} : { path: `/wallet/${encodeURIComponent(wallet)}` });
    return (JSON.parse(body) as { result: unknown; error: { message: string } | null }[]).map(({ result, error }, i) => {
      if (error) throw new Error(`${calls[i]!.join(' ')}: ${error.message}`);
      return result;
    });
  }

  async #scriptsOf(addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const unknown = addresses.filter((address) => !this.#scripts.has(address));
    const replies = await this.#ask(null, [...unknown.map((address): Call => ['validateaddress', address]), ['getblockcount']]);
    for (const [i, address] of unknown.entries()) this.#scripts.set(address, (replies[i] as { scriptPubKey: string }).scriptPubKey);
    return this.#scripts;
  }

  /** Reads the blocks of the best chain that are not cached yet. */
  async #tip(): Promise<PlainBlock> {
    const missing: BlockReply[] = [];
    let hash = (await this.node.call('getbestblockhash')) as string | undefined;
    for (; hash !== undefined && !this.#blocks.has(hash); hash = missing.at(-1)!.previousblockhash) {
      missing.push((await this.node.call('getblock', hash, 2)) as BlockReply);
    }
    let tip = hash === undefined ? null : this.#blocks.get(hash)!;
    for (const { hash, height, time, tx } of missing.reverse()) {
      tip = { hash, height, time, prev: tip, txs: tx.map(plainOf) };
      for (const { scriptPubKey } of tx.flatMap(({ vout }) => vout)) {
        const { hex, type, addresses } = scriptPubKey;
        this.#paid.set(hex, { mine: 0, address: type === 'pubkey' ? undefined : addresses?.[0] });
      }
      this.#blocks.set(hash, tip);
    }
    return tip!;
  }

  #model(tip: PlainBlock, scripts: ReadonlyMap<string, string>, labels: ReadonlyMap<string, string | undefined>): NaiveWallet {
    const chain: PlainBlock[] = [];
    for (let at: PlainBlock | null = tip; at; at = at.prev) chain.unshift(at);
    const all = new Map(this.#paid);
    for (const address of labels.keys()) all.set(scripts.get(address)!, { mine: 2, address });
    const book = new Map([...labels].flatMap(([address, label]): [string, string][] => (label === undefined ? [] : [[address, label]])));
    const model = new NaiveWallet(all, book, chain[0]!, new Map());
    for (const block of chain.slice(1)) model.connect(block, block.time);
    return model;
  }
}

function plainOf({ txid, vin, vout }: BlockReply['tx'][number]): PlainTx {
  const coinbase = vin[0]!.coinbase !== undefined;
  const inputs = coinbase ? [] : vin.map(({ txid, vout, sequence }) => ({ txid, vout, sequence }));
  const outputs = vout.map(({ value, scriptPubKey }) => ({ script: scriptPubKey.hex, value: Math.round(value * 1e8) }));
  return { txid, inputs, outputs, coinbase, body: JSON.stringify([inputs, outputs]) };
}

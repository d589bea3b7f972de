// Runs random histories of a wallet and compares its answers with a model that computes each of them from the whole
// list of events: receipts, payments, double spends, copies with another signature, replacements, reorganisations,
// abandoned payments, new labels, restarts and crashes. HISTORY_RUNS and HISTORY_STEPS make the test longer;
// HISTORY_SEED repeats a run.

import t from 'tap';
import { encodeAddress } from '../../../src/address/address.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { COMPATS } from '../../../src/policy/compat.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import { methodsOf } from '../../../src/rpc/declare/methods.js';
import type { CallInfo, Run } from '../../../src/rpc/dispatch.js';
import { abandontransaction } from '../../../src/rpc/methods/wallet/abandontransaction.js';
import { getbalances } from '../../../src/rpc/methods/wallet/getbalances.js';
import { getreceivedbyaddress } from '../../../src/rpc/methods/wallet/getreceivedbyaddress.js';
import { gettransaction } from '../../../src/rpc/methods/wallet/gettransaction.js';
import { listaddressgroupings } from '../../../src/rpc/methods/wallet/listaddressgroupings.js';
import { listreceivedbyaddress } from '../../../src/rpc/methods/wallet/listreceivedbyaddress.js';
import { listsinceblock } from '../../../src/rpc/methods/wallet/listsinceblock.js';
import { listtransactions } from '../../../src/rpc/methods/wallet/listtransactions.js';
import { listunspent } from '../../../src/rpc/methods/wallet/listunspent.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import type { JsonValue } from '../../../src/rpc/wire/values.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { UNCONFIRMED_PLACE } from '../../../src/wallet/coins/tx-table.js';
import { rollBack } from '../../../src/wallet/follow/catch-up.js';
import { saveImage } from '../../../src/wallet/image/save-image.js';
import { WalletImages } from '../../../src/wallet/image/wallet-images.js';
import { payToKey } from '../../../src/wallet/keys/destination.js';
import { assembleWallet, loadWallet, type WalletSurroundings } from '../../../src/wallet/manage/load-wallet.js';
import { generateKeys } from '../../../src/wallet/manage/new-keys.js';
import type { NodeClient } from '../../../src/wallet/node-client.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../../../src/wallet/storage/layout.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { WALLET_FLAG, WalletRecord } from '../../../src/wallet/wallet-record.js';
import { clientOf, connected, disconnected, TestBlock } from '../../framework/chain-client.js';
import { rounds } from '../../framework/depth.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { MemoryImages } from '../../framework/memory-images.js';
import { PLAIN_OPTIONS } from '../../framework/memory-wallet.js';
import { NaiveWallet, type PlainBlock, type PlainRecord, type PlainScript, type PlainTx } from '../../framework/naive-wallet.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { runMethod } from '../../framework/run-method.js';

const RUNS = Number(process.env.HISTORY_RUNS ?? rounds(1, 4));
const STEPS = Number(process.env.HISTORY_STEPS ?? 60);
const SEED = Number(process.env.HISTORY_SEED ?? 2);
const START = 1_700_000_000;

const crypto = createNativeCrypto();
const context = descriptorContext('0.21', 'regtest');
const VERSION = COMPATS['0.21.1'];
const METHODS = methodsOf(true, VERSION);
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const shown = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString('hex');
const hidden = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex').reverse());

/** A transaction in the forms for the model and for the wallet. */
interface Both {
  readonly plain: PlainTx;
  readonly view: TxView;
}

const viewsOf = ({ txs }: { readonly txs: readonly Both[] }): TxView[] => txs.map(({ view }) => view);

/** The fields of a stored block that the tests read. */
function blockBytes(prevHash: Uint8Array, txs: readonly TxView[]): Uint8Array {
  const header = new Uint8Array(80);
  header.set(prevHash, 4);
  return new Uint8Array(Buffer.concat([header, Buffer.of(txs.length), ...txs.map(({ bytes }) => bytes)]));
}

class Block extends TestBlock {
  readonly plain: PlainBlock;
  constructor(
    override readonly prev: Block | null,
    time: number,
    readonly txs: readonly Both[],
    salt: number,
  ) {
    super(crypto.sha256(Uint8Array.of(salt & 255, salt >> 8, 7)), prev, prev ? prev.height + 1 : 0, time);
    this.plain = { hash: this.hashHex, height: this.height, time, prev: prev?.plain ?? null, txs: txs.map((tx) => tx.plain) };
  }
}

interface Input {
  readonly txid: string;
  readonly vout: number;
}

class World {
  readonly #next: () => number;
  readonly below = (limit: number): number => Math.floor(this.#next() * limit);
  readonly chance = (share: number): boolean => this.#next() < share;
  readonly pick = <T>(list: readonly T[]): T => list[this.below(list.length)];
  readonly pool = new Map<string, Both>();
  readonly #plainPool = new Map<string, PlainTx>();
  readonly blocks: Block[] = [];
  readonly #scripts = new Map<string, PlainScript>();
  readonly #book = new Map<string, string>();
  readonly #addresses = new Map<string, Uint8Array>();
  tip: Block;
  now = START;
  store = new MemoryStore();
  wallet!: Wallet;
  model: NaiveWallet;
  /** State that a power cut would restore: rows and the model of that moment. */
  #saved: { rows: [Uint8Array, Uint8Array][]; model: NaiveWallet; book: Map<string, string> } | null = null;
  readonly log: string[] = [];
  /** Images of tables, by id. null: the wallet keeps no images. */
  readonly images: MemoryImages | null;

  /**
   * Payments that conflicted with a confirmed transaction when they were made. Core treats them as unconfirmed until
   * the wallet is loaded again.
   */
  readonly #hopeless = new Set<string>();
  /** Number of crashes in the middle of a block. */
  midway = 0;

  constructor(seed: number) {
    this.images = seed % 3 === 0 ? null : new MemoryImages();
    this.#next = pseudoRandom(seed);
    this.tip = new Block(null, START - 1000, [], 0);
    this.blocks.push(this.tip);
    this.model = new NaiveWallet(this.#scripts, this.#book, this.tip.plain, this.#plainPool);
  }

  // -- environment

  get #surroundings(): WalletSurroundings {
    return {
      crypto,
      context,
      now: () => this.now,
      isFinal: () => true,
      onFault: (error) => {
        throw error;
      },
      onTransaction: () => {},
      // Write images even for small wallets. Some wallets write a new image often, others rarely, so that loading reads
      // a long journal.
      ...(this.images && {
        images: {
          files: () => this.images!,
          leastRows: 0,
          leastJournal: this.pick([0, 5000]),
          log: {
            info() {},
            warn: (line: string) => {
              throw new Error(line);
            },
          },
        },
      }),
      options: { ...PLAIN_OPTIONS, dir: '/nowhere', keypool: 2 },
    };
  }
  get client(): NodeClient {
    const entryOf = ({ view }: Both) => ({ tx: view, txid: view.txid, ancestorCount: 2 });
    const ancestors = (txid: string, found: Map<string, Both>): Map<string, Both> => {
      for (const input of this.pool.get(txid)?.plain.inputs ?? []) {
        const parent = this.pool.get(input.txid);
        if (parent && !found.has(input.txid)) ancestors(input.txid, found.set(input.txid, parent));
      }
      return found;
    };
    return clientOf(
      {
        tip: this.tip,
        node: (hash) => this.blocks.find((block) => Buffer.compare(block.hash, hash) === 0),
        atHeight: (height) => (height <= this.tip.height ? (this.tip.ancestor(height) ?? undefined) : undefined),
        contains: (node) => this.tip.ancestor(node.height) === node,
        readBlock: () => Promise.reject(new Error('not asked for')),
      },
      {
        get: (txid: Uint8Array) => {
          const found = this.pool.get(shown(txid));
          return found && entryOf(found);
        },
        ancestors: (entry: { txid: Uint8Array }) => [...ancestors(shown(entry.txid), new Map()).values()].map(entryOf),
        clusterCount: () => 1,
      },
      {
        readBlock: async (hash) => {
          const block = this.blocks.find((one) => Buffer.compare(one.hash, hash) === 0)!;
          return blockBytes(block.prev!.hash, viewsOf(block));
        },
      },
    );
  }
  #context(): WalletContext {
    return {
      params: context.params,
      crypto,
      descriptors: context,
      clock: { nowSeconds: () => this.now },
      compat: VERSION,
      wallets: { selectWallet: () => this.wallet },
      client: this.client,
    } as unknown as WalletContext;
  }
  async call(run: Run<WalletContext, never>, ...args: unknown[]): Promise<unknown> {
    const values = parseJson(Buffer.from(JSON.stringify(args))) as JsonValue[];
    await this.wallet.events.applyPending();
    const result = await runMethod(run, this.#context(), values, { path: '/wallet/w' } as unknown as CallInfo);
    // Converts the reply as an executor does, to the members of this version.
    const shape = METHODS.get(run.name)!.shape;
    return JSON.parse(encodeJson((shape ? shape(result as never) : result) as never));
  }

  // -- the wallet

  async open(): Promise<void> {
    const record = new WalletRecord();
    record.flags = WALLET_FLAG.KEY_ORIGIN_METADATA;
    this.wallet = assembleWallet(this.#surroundings, { name: 'w', folder: '/nowhere/w', record, encrypted: false, store: this.store });
    const { images } = this.#surroundings;
    if (images) this.wallet.storage.useImages(new WalletImages(images, ''));
    this.wallet.position.moveTo(this.tip);
    this.wallet.position.setLocator(await this.client.locator(this.tip.hash));
    this.wallet.ledger.setTip(0);
    await this.wallet.change((batch) => {
      batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
      record.write(batch);
      generateKeys(this.wallet, context, batch);
      this.wallet.position.writeLocator(batch);
      for (const type of ['bech32', 'legacy', 'p2sh-segwit', 'bech32'] as const) this.#learn(this.#fresh(type, false, batch), 2);
      for (const script of [...this.#scripts.keys()].slice(0, 3)) this.#label(script, this.pick(['', 'pool', 'miner']), batch);
      for (let i = 0; i < 2; i++) this.#learn(this.#fresh('bech32', true, batch), 2);
      const legacy = [...this.#scripts.keys()].find((script) => script.length === 50)!;
      const key = this.wallet.legacy!.publicKey(Buffer.from(legacy, 'hex').subarray(3, 23))!;
      this.#scripts.set(hexOf(payToKey(key)), this.#scripts.get(legacy)!);
      const watched = new Uint8Array(Buffer.concat([Buffer.of(0, 20), Buffer.alloc(20, 5)]));
      this.wallet.legacy!.watchScript(watched, 1, batch);
      this.#learn(watched, 1);
      for (let i = 0; i < 3; i++) this.#learn(new Uint8Array(Buffer.concat([Buffer.of(0, 20), Buffer.alloc(20, 40 + i)])), 0);
      this.#label([...this.#scripts.keys()].at(-1)!, 'friend', batch);
      this.#scripts.set('6a0401020304', { mine: 0, address: undefined });
    });
  }
  #fresh(type: 'bech32' | 'legacy' | 'p2sh-segwit', internal: boolean, batch: Parameters<Wallet['keys']['newAddress']>[2]): Uint8Array {
    const result = this.wallet.keys.newAddress(type, internal, batch);
    if (!('script' in result)) throw new Error(result.error);
    return result.script;
  }
  #learn(script: Uint8Array, mine: 0 | 1 | 2): void {
    const address = encodeAddress(script, context.params) ?? undefined;
    this.#scripts.set(hexOf(script), { mine, address });
    if (address !== undefined) this.#addresses.set(address, new Uint8Array(script));
  }
  #label(script: string, label: string, batch: Parameters<Wallet['book']['set']>[3]): void {
    const { address } = this.#scripts.get(script)!;
    if (address === undefined) return;
    this.#book.set(address, label);
    this.wallet.book.set(this.#addresses.get(address)!, label, 'receive', batch);
  }

  // -- making transactions

  #make(inputs: readonly (Input & { sequence: number })[], outputs: readonly { script: string; value: number }[], salt: number): Both {
    const fields = {
      version: 2,
      locktime: 0,
      inputs: inputs.map((input) => ({
        prevHash: hidden(input.txid),
        prevIndex: input.vout,
        scriptSig: Uint8Array.of(3, salt & 255, (salt >> 8) & 255, salt >> 16),
        sequence: input.sequence,
      })),
      outputs: outputs.map(({ script, value }) => ({ value, script: new Uint8Array(Buffer.from(script, 'hex')) })),
    };
    const view = parseTx(buildTx(fields), crypto);
    const body = JSON.stringify([inputs, outputs]);
    return { view, plain: { txid: shown(view.txid), inputs, outputs, coinbase: false, body } };
  }
  #outputs(): { script: string; value: number }[] {
    const scripts = [...this.#scripts.keys()];
    return Array.from({ length: 1 + this.below(3) }, () => ({
      script: this.pick(scripts),
      value: this.chance(0.05) ? 0 : this.below(5000) * 1000,
    }));
  }
  #outside(): Input {
    return { txid: hexOf(crypto.sha256(Uint8Array.of(...Array.from({ length: 8 }, () => this.below(256))))), vout: this.below(3) };
  }
  #sequence = (): number => this.pick([0xffffffff, 0xfffffffe, 0xfffffffd, 0]);
  /**
   * Makes a random payment: of own coins, of others' coins, or of both, and sometimes of coins that another transaction
   * already spends.
   */
  payment(): Both {
    const own: Input[] = this.model.records.flatMap(({ tx }) =>
      tx.outputs.flatMap((output, vout) => ((this.#scripts.get(output.script)?.mine ?? 0) === 0 ? [] : [{ txid: tx.txid, vout }])),
    );
    const spent = this.model.records.flatMap(({ tx }) => (tx.coinbase ? [] : tx.inputs));
    const inputs = new Map<string, Input & { sequence: number }>();
    for (let i = 1 + this.below(3); i > 0; i--) {
      const from =
        this.chance(0.15) && spent.length > 0 ? this.pick(spent) : this.chance(0.5) && own.length > 0 ? this.pick(own) : this.#outside();
      inputs.set(`${from.txid}:${from.vout}`, { txid: from.txid, vout: from.vout, sequence: this.#sequence() });
    }
    return this.#make([...inputs.values()], this.#outputs(), this.below(1 << 24));
  }
  /** Makes the same payment with another signature. */
  #twin({ tx }: PlainRecord): Both {
    return this.#make(tx.inputs, tx.outputs, this.below(1 << 24));
  }
  #coinbase(height: number): Both {
    const script = this.chance(0.6) ? this.pick([...this.#scripts.keys()]) : '51';
    const bytes = buildTx({
      version: 2,
      locktime: 0,
      inputs: [
        {
          prevHash: new Uint8Array(32),
          prevIndex: 0xffffffff,
          scriptSig: Uint8Array.of(3, height & 255, height >> 8, this.below(256), this.below(256)),
          sequence: 0xffffffff,
        },
      ],
      outputs: [{ value: 5_000_000_000, script: new Uint8Array(Buffer.from(script, 'hex')) }],
    });
    const view = parseTx(bytes, crypto);
    const inputs = [{ txid: '00'.repeat(32), vout: 0xffffffff, sequence: 0xffffffff }];
    return { view, plain: { txid: shown(view.txid), inputs, outputs: [{ script, value: 5_000_000_000 }], coinbase: true, body: '' } };
  }

  // -- rules of the chain and the mempool

  #chainFacts(tip: Block): { txids: Set<string>; spent: Set<string> } {
    const facts = { txids: new Set<string>(), spent: new Set<string>() };
    for (let at: Block | null = tip; at; at = at.prev) for (const { plain } of at.txs) this.#spend(plain, facts);
    return facts;
  }
  #spend(tx: PlainTx, facts: { txids: Set<string>; spent: Set<string> }): void {
    facts.txids.add(tx.txid);
    for (const input of tx.inputs) facts.spent.add(`${input.txid}:${input.vout}`);
  }
  /** Returns true if its inputs exist and are unspent. Unknown parents count as foreign transactions. */
  #fits(tx: PlainTx, facts: { txids: Set<string>; spent: Set<string> }): boolean {
    if (facts.txids.has(tx.txid)) return false;
    return tx.inputs.every((input) => {
      const known =
        this.model.find(input.txid) !== undefined ||
        this.pool.has(input.txid) ||
        this.blocks.some((b) => b.txs.some((one) => one.plain.txid === input.txid));
      return !facts.spent.has(`${input.txid}:${input.vout}`) && (!known || facts.txids.has(input.txid));
    });
  }
  #poolAdd(tx: Both): void {
    this.pool.set(tx.plain.txid, tx);
    this.#plainPool.set(tx.plain.txid, tx.plain);
    this.wallet.events.push({ kind: 'entered', tx: tx.view });
    this.model.entered(tx.plain, this.now);
  }
  #poolDrop(txid: string, conflict: boolean | null): void {
    const gone = this.pool.get(txid);
    if (!gone) return;
    this.pool.delete(txid);
    this.#plainPool.delete(txid);
    if (conflict === null) return;
    for (const [child, { plain }] of [...this.pool]) if (plain.inputs.some((input) => input.txid === txid)) this.#poolDrop(child, conflict);
    this.wallet.events.push({ kind: 'left', tx: gone.view, conflict });
    this.model.left(gone.plain, conflict, this.now);
  }
  /** Offers a transaction to the mempool, where it replaces conflicting ones. */
  offer(tx: Both): boolean {
    const facts = this.#chainFacts(this.tip);
    const rivals = [...this.pool.values()].filter(({ plain }) =>
      plain.inputs.some((a) => tx.plain.inputs.some((b) => a.txid === b.txid && a.vout === b.vout)),
    );
    const doomed = new Set<string>();
    const doom = (txid: string): void => {
      doomed.add(txid);
      for (const [child, { plain }] of this.pool) if (plain.inputs.some((input) => input.txid === txid)) doom(child);
    };
    for (const { plain } of rivals) doom(plain.txid);
    for (const [txid, { plain }] of this.pool) if (!doomed.has(txid)) this.#spend(plain, facts);
    if (!this.#fits(tx.plain, facts)) return false;
    for (const { plain } of rivals) this.#poolDrop(plain.txid, false);
    this.#poolAdd(tx);
    return true;
  }

  // -- steps

  mine(on: Block = this.tip): Block {
    const facts = this.#chainFacts(on);
    const txs: Both[] = [this.#coinbase(on.height + 1)];
    const known = this.model.records.filter((record) => !record.tx.coinbase).map((record) => this.#again(record));
    for (const tx of [
      ...this.pool.values(),
      ...(this.chance(0.3) ? [this.payment()] : []),
      ...(this.chance(0.3) && known.length > 0 ? [this.pick(known)] : []),
    ]) {
      if (this.chance(0.35) || !this.#fits(tx.plain, facts)) continue;
      this.#spend(tx.plain, facts);
      txs.push(tx);
    }
    const block = new Block(on, this.now + this.below(2000) - 1000, txs, this.blocks.length);
    this.blocks.push(block);
    return block;
  }
  #again(record: PlainRecord): Both {
    const row = this.wallet.ledger.txs.find(hidden(record.tx.txid));
    const view = this.wallet.ledger.txs.view(row) ?? this.blocks.flatMap((block) => block.txs).find((tx) => tx.plain === record.tx)?.view;
    return view ? { view, plain: record.tx } : this.payment();
  }
  #connect(block: Block): void {
    const mined = new Set(block.txs.map((tx) => tx.plain.txid));
    const spent = new Set(block.txs.flatMap(({ plain }) => plain.inputs.map((input) => `${input.txid}:${input.vout}`)));
    for (const txid of mined) this.#poolDrop(txid, null);
    for (const [txid, { plain }] of [...this.pool])
      if (plain.inputs.some((input) => spent.has(`${input.txid}:${input.vout}`))) this.#poolDrop(txid, true);
    this.tip = block;
    this.wallet.events.push(connected(block, viewsOf(block)));
    this.model.connect(block.plain, this.now);
  }
  #disconnect(): Both[] {
    const block = this.tip;
    this.tip = block.prev!;
    this.wallet.events.push(disconnected(block, viewsOf(block)));
    this.model.disconnect(block.plain, this.now);
    return block.txs.filter((tx) => !tx.plain.coinbase);
  }
  /** Updates the mempool after a reorganisation: transactions that fit return, those without inputs leave. */
  #settlePool(back: readonly Both[]): void {
    for (let turn = 0; turn < 3; turn++) {
      const facts = this.#chainFacts(this.tip);
      for (const { plain } of this.pool.values()) facts.txids.add(plain.txid);
      for (const [txid, { plain }] of [...this.pool]) {
        facts.txids.delete(txid);
        if (!this.#fits(plain, facts)) this.#poolDrop(txid, false);
        else facts.txids.add(txid);
      }
    }
    for (const tx of back) {
      const facts = this.#chainFacts(this.tip);
      for (const { plain } of this.pool.values()) this.#spend(plain, facts);
      if (this.#fits(tx.plain, facts)) this.#poolAdd(tx);
    }
  }
  #reorganise(depth: number, replace: boolean): void {
    const back: Both[] = [];
    for (let i = 0; i < depth && this.tip.prev; i++) back.unshift(...this.#disconnect());
    if (replace) for (let i = 0; i <= depth; i++) this.#connect(this.mine());
    this.#settlePool(back);
  }
  async #commit(tx: Both, values: Record<string, string>, replaced: PlainRecord | null): Promise<void> {
    await this.wallet.change((batch) => {
      const { ledger } = this.wallet;
      ledger.putRecord(tx.view, UNCONFIRMED_PLACE, batch, new Map(Object.entries(values)));
      if (!replaced) return;
      const row = ledger.txs.find(hidden(replaced.tx.txid));
      ledger.txs.setValue(row, 'replaced_by_txid', tx.plain.txid);
      ledger.txs.write(row, ledger.txs.place(row), null, batch);
    });
    this.model.put(tx.plain, null, -1, this.now, values);
    if (replaced) replaced.values.replaced_by_txid = tx.plain.txid;
    for (const record of this.model.hopeless()) this.#hopeless.add(record.tx.txid);
  }
  #mayCommit = (tx: Both): boolean => this.model.debit(tx.plain, 3) > 0 && this.model.find(tx.plain.txid) === undefined;

  async step(): Promise<void> {
    this.now += this.below(400);
    const { records } = this.model;
    const roll = this.below(100);
    this.log.push(String(roll));
    await this.wallet.events.applyPending();
    if (roll < 28) this.offer(this.payment());
    else if (roll < 36) {
      const tx = this.payment();
      if (this.#mayCommit(tx)) {
        await this.#commit(tx, this.chance(0.5) ? { comment: 'rent', to: 'someone' } : {}, null);
        if (this.chance(0.7)) this.offer(tx);
      }
    } else if (roll < 40 && records.length > 0) {
      const record = this.pick(records);
      if (!record.tx.coinbase) this.offer(this.#twin(record));
    } else if (roll < 45) {
      const old = records.filter((record) => record.inMempool && this.model.debit(record.tx, 3) > 0);
      if (old.length > 0) {
        const record = this.pick(old);
        const tx = this.#make(record.tx.inputs, this.#outputs(), this.below(1 << 24));
        const { replaced_by_txid: _, ...kept } = record.values;
        if (this.#mayCommit(tx)) {
          await this.#commit(tx, { ...kept, replaces_txid: record.tx.txid }, record);
          this.offer(tx);
        }
      }
    } else if (roll < 66) this.#connect(this.mine());
    else if (roll < 70) for (let i = 0; i < 40; i++) this.#connect(this.mine());
    else if (roll < 78) this.#reorganise(1 + this.below(4), this.chance(0.8));
    else if (roll < 80) await this.#dieMidway();
    else if (roll < 84 && records.length > 0) await this.#abandon(this.pick(records));
    else if (roll < 88 && this.pool.size > 0) this.#poolDrop(this.pick([...this.pool.keys()]), false);
    else if (roll < 91)
      await this.wallet.change((batch) => this.#label(this.pick([...this.#scripts.keys()]), this.pick(['', 'pool', 'other']), batch));
    else if (roll < 93) await this.#save();
    else if (roll < 98) await this.#restart(this.chance(0.3));
  }
  async #abandon(record: PlainRecord): Promise<void> {
    // Skip a payment whose child is in the mempool: in a node the payment would then be there too, and Core would abort
    // here.
    const mayNot = [...this.pool.values()].some(({ plain }) => plain.inputs.some((input) => input.txid === record.tx.txid));
    if (mayNot) return;
    const done = await this.call(abandontransaction, record.tx.txid).then(
      () => true,
      () => false,
    );
    if (done !== this.model.abandon(record)) throw new Error(`abandoning ${record.tx.txid}: ${done}`);
  }
  async #rows(): Promise<[Uint8Array, Uint8Array][]> {
    await this.wallet.storage.queueWrite(async () => {});
    const rows: [Uint8Array, Uint8Array][] = [];
    for await (const row of this.store.iterate()) rows.push(row);
    return rows;
  }
  async #save(): Promise<void> {
    await this.wallet.events.applyPending();
    this.#saved = { rows: await this.#rows(), model: this.model.copy(), book: new Map(this.#book) };
  }
  /**
   * Crashes while the wallet applies the events of new blocks, after some of these are written. The chain has the same
   * tip afterwards.
   */
  async #dieMidway(): Promise<void> {
    await this.wallet.events.applyPending();
    await this.wallet.storage.queueWrite(async () => {});
    const { store } = this;
    const states: [Uint8Array, Uint8Array][][] = [];
    const write = store.batch.bind(store);
    store.batch = async (ops, options) => {
      await write(ops, options);
      const rows: [Uint8Array, Uint8Array][] = [];
      for await (const row of store.iterate()) rows.push(row);
      states.push(rows);
    };
    const written = async (): Promise<void> => {
      await this.wallet.events.applyPending();
      await this.wallet.storage.queueWrite(async () => {});
    };
    if (this.chance(0.5)) this.#connect(this.mine());
    else {
      // The mempool changes after the wallet has received the blocks, so transactions that return then are lost with
      // the process.
      const depth = 1 + this.below(3);
      for (let i = 0; i < depth && this.tip.prev; i++) {
        this.#disconnect();
        if (this.chance(0.5)) await written();
      }
      for (let i = 0; i <= depth; i++) {
        this.#connect(this.mine());
        if (this.chance(0.5)) await written();
      }
    }
    await written();
    if (states.length > 1) this.midway++;
    if (states.length > 0) await this.#return(this.pick(states));
    this.#settlePool([]);
  }
  /** Crashes and restarts; after a power failure with the rows that were on disk some time before. */
  async #restart(powerFailure: boolean): Promise<void> {
    await this.wallet.events.applyPending();
    // Otherwise it stops cleanly: all events are applied and the tables are written.
    if (this.chance(0.4)) {
      await this.wallet.events.applyPending();
      await saveImage(this.wallet);
    }
    let rows = await this.#rows();
    if (powerFailure && this.#saved) {
      rows = this.#saved.rows;
      this.model = this.#saved.model.copy();
      this.#book.clear();
      for (const [address, label] of this.#saved.book) this.#book.set(address, label);
    }
    await this.#return(rows);
  }
  /** Restarts from the rows on disk. */
  async #return(rows: readonly [Uint8Array, Uint8Array][]): Promise<void> {
    this.store = new MemoryStore();
    await this.store.batch(rows.map(([key, value]) => ({ type: 'put', key, value })));
    const { wallet, locator } = await loadWallet(this.#surroundings, { name: 'w', folder: '/nowhere/w' }, this.store);
    this.wallet = wallet;
    await rollBack(wallet, locator, this.client);
    if (this.chance(0.5)) await saveImage(wallet);
    const fork = this.blocks.find(({ hashHex }) => hashHex === wallet.tip!.hashHex)!;
    this.model.restart(fork.plain);
    const missing: Block[] = [];
    for (let at = this.tip; at !== fork; at = at.prev!) missing.unshift(at);
    for (const block of missing) {
      wallet.events.push(connected(block, viewsOf(block)));
      this.model.connect(block.plain, this.now);
    }
    for (const { view, plain } of this.pool.values()) {
      wallet.events.push({ kind: 'entered', tx: view });
      this.model.entered(plain, this.now);
    }
    await wallet.events.applyPending();
  }

  // -- comparison

  async compare(whole: boolean): Promise<void> {
    await this.wallet.events.applyPending();
    const { model } = this;
    const { equal } = this;
    const revived = model.hopeless().filter(({ tx }) => !this.#hopeless.has(tx.txid));
    if (revived.length > 0) throw new Error(`${revived[0].tx.txid} came back from the dead`);
    const filter = this.pick([2, 3] as const);
    const watch = filter === 3;
    const records = whole ? model.records : model.records.slice(-3);
    for (const record of records) {
      const { hex, ...got } = (await this.call(gettransaction, record.tx.txid, watch)) as { hex: string };
      equal(got, model.gettransaction(record, filter), `gettransaction ${record.tx.txid}`);
      if (hex.length === 0) throw new Error('no bytes');
    }
    const want: Record<string, unknown> = { mine: model.balances(2), watchonly: model.balances(1) };
    equal(await this.call(getbalances), want, 'getbalances');
    const block = this.chance(0.2) ? null : this.pick(whole ? this.blocks : this.blocks.slice(-5));
    const { lastblock: _, ...since } = (await this.call(listsinceblock, block?.hashHex ?? '', 1, watch)) as Record<string, unknown>;
    equal(since, model.listsinceblock(block?.plain ?? null, filter), `listsinceblock ${block?.height}`);
    const [count, skip] = [this.below(12), this.below(6)];
    const label = this.pick(['*', '*', 'pool', 'other', 'miner']);
    const listed = await this.call(listtransactions, label, count, skip, watch);
    equal(
      listed,
      model.listtransactions(filter, count, skip, label === '*' ? undefined : label),
      `listtransactions ${label} ${count} ${skip}`,
    );
    if (!whole) return;
    const unspent = ((await this.call(listunspent, 0)) as Record<string, unknown>[]).map(
      ({ scriptPubKey: _s, solvable: _v, desc: _d, redeemScript: _r, ...rest }) => rest,
    );
    equal(unspent, model.unspent(), 'listunspent');
    for (const [script, { mine, address }] of this.#scripts) {
      if (mine === 0 || address === undefined) continue;
      const minDepth = this.below(3);
      const { amount } = model.received(address, minDepth);
      equal(await this.call(getreceivedbyaddress, address, minDepth), amount, `getreceivedbyaddress ${script}`);
    }
    for (const entry of (await this.call(listreceivedbyaddress, 0, true, true)) as Record<string, unknown>[]) {
      const {
        address,
        label: shownLabel,
        involvesWatchonly: _w,
        ...rest
      } = entry as { address: string; label: string; involvesWatchonly: boolean };
      const mine = [...this.#scripts.values()].some((script) => script.address === address && script.mine !== 0);
      equal(rest, mine ? model.received(address, 0) : { amount: 0, confirmations: 0, txids: [] }, `listreceivedbyaddress ${address}`);
      equal(shownLabel, this.#book.get(address), 'its label');
    }
    const groups = (await this.call(listaddressgroupings)) as [string, number, string?][][];
    const flat = new Map(
      groups.flatMap((group) =>
        group.map(([address, balance]) => [
          address,
          {
            group: group
              .map(([one]) => one)
              .sort()
              .join(),
            balance,
          },
        ]),
      ),
    );
    equal(Object.fromEntries([...flat].sort()), Object.fromEntries([...model.groupings()].sort()), 'listaddressgroupings');
  }
  equal = (got: unknown, want: unknown, what: string): void => {
    const [a, b] = [JSON.stringify(got, null, 1), JSON.stringify(want, null, 1)];
    if (a !== b) throw new Error(`${what}\ngot ${a}\nwant ${b}\nsteps ${this.log.join(' ')}`);
  };
}

t.test('wallet replies equal a model through random histories with restarts and crashes', async (t) => {
  let restored = 0;
  let midway = 0;
  for (let run = 0; run < RUNS; run++) {
    const seed = SEED + run;
    const world = new World(seed);
    await world.open();
    try {
      for (let step = 0; step < STEPS; step++) {
        await world.step();
        await world.compare(step % 6 === 5);
      }
    } catch (error) {
      t.fail(`seed ${seed}: ${(error as Error).stack}`);
      return;
    }
    restored += world.images?.restored ?? 0;
    midway += world.midway;
    t.ok(world.model.records.length > STEPS / 4, `seed ${seed}: ${world.model.records.length} transactions, ${world.blocks.length} blocks`);
  }
  t.ok(restored > 0, `tables came from an image ${restored} times`);
  t.ok(midway > 0, `and with some of the blocks ${midway} times`);
});

// A chain for tests of mempool and templates: coins in a map, blocks with the given transactions, no rules. Like the
// real chain, coins must be prefetched before they are read, and a new tip invalidates prefetched coins.
import { hashKey, hashToHex } from '../../src/consensus/bytes/hex.js';
import type { Coin } from '../../src/consensus/coin.js';
import type { HeaderContext } from '../../src/consensus/header-context.js';
import { medianTimePast } from '../../src/consensus/header-context.js';
import { buildTx, type TxOutputFields } from '../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import type { Hashes } from '../../src/crypto/crypto.js';

/** A block of the model. */
export class ModelNode implements HeaderContext {
  readonly version = 0x20000000;
  readonly bits = 0x207fffff;
  readonly hash: Uint8Array;
  constructor(
    readonly prev: ModelNode | null,
    readonly height: number,
    readonly time: number,
    readonly txs: readonly TxView[],
    salt: number,
    hashes: Hashes,
  ) {
    this.hash = hashes.sha256d(Uint8Array.of(height & 255, height >> 8, salt & 255, salt >> 8));
  }
  get hashHex(): string {
    return hashToHex(this.hash);
  }
  medianTimePast(): number {
    return medianTimePast(this);
  }
  ancestor(height: number): ModelNode | null {
    let node: ModelNode | null = this;
    while (node !== null && node.height > height) node = node.prev;
    return node !== null && node.height === height ? node : null;
  }
}

type Change = {
  connected: { node: ModelNode; block: { txs: readonly TxView[] } }[];
  disconnected: { node: ModelNode; block: { txs: readonly TxView[] } }[];
  invalidatedBefore?: number;
  jumpedFrom?: ModelNode;
};

/** OP_TRUE: anyone can spend the output without a signature. */
export const ANYONE = Uint8Array.of(0x51);

export class ModelChain {
  tip: ModelNode;
  flags = 0;
  readonly coinMap = new Map<string, Coin>();
  readonly #known = new Set<string>();
  readonly #undo = new Map<ModelNode, [string, Coin][]>();
  readonly #listeners: ((tip: ModelNode, change: Change) => void)[] = [];
  readonly #hashes: Hashes;
  #salt = 0;
  #next = 0;

  /** @param time of the first block; each block is a second later than its parent */
  constructor(hashes: Hashes, startTime = 1_600_000_000, height = 200) {
    this.#hashes = hashes;
    let node = new ModelNode(null, 0, startTime, [], this.#salt++, hashes);
    for (let h = 1; h <= height; h++) node = new ModelNode(node, h, startTime + h, [], this.#salt++, hashes);
    this.tip = node;
  }

  readonly coins = {
    prefetch: async (outpoints: readonly Uint8Array[]): Promise<void> => {
      await Promise.resolve();
      for (const outpoint of outpoints) this.#known.add(hashKey(outpoint));
    },
    isKnown: (bytes: Uint8Array, at = 0): boolean => this.#known.has(hashKey(bytes.subarray(at, at + 36))),
    get: (bytes: Uint8Array, at = 0): Coin | undefined => {
      const key = hashKey(bytes.subarray(at, at + 36));
      if (!this.#known.has(key)) throw new Error('a coin was asked for without prefetch');
      return this.coinMap.get(key);
    },
  };

  nextBlockFlags(): number {
    return this.flags;
  }
  onTip(listener: (tip: ModelNode, change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /** Adds a coin that no transaction has created. @returns its outpoint */
  fund(value: number, script: Uint8Array = ANYONE, options: Partial<Coin> = {}): Uint8Array {
    const outpoint = new Uint8Array(36);
    outpoint.set(this.#hashes.sha256d(Uint8Array.of(1, this.#next & 255, this.#next >> 8)));
    this.#next++;
    this.coinMap.set(hashKey(outpoint), { value, script, height: 1, coinbase: false, ...options });
    return outpoint;
  }

  /** Connects a block with a generated coinbase and these transactions. */
  connect(txs: readonly TxView[]): ModelNode {
    const node = this.#apply(txs);
    this.#tell({ connected: [{ node, block: { txs: node.txs } }], disconnected: [] });
    return node;
  }

  /** Moves the tip over these blocks, whose transactions listeners do not see (TipChange.jumpedFrom). */
  jump(blocks: readonly (readonly TxView[])[]): void {
    const jumpedFrom = this.tip;
    for (const txs of blocks) this.#apply(txs);
    this.#tell({ connected: [], disconnected: [], jumpedFrom });
  }

  /** Replaces the last blocks by others, in one change. */
  reorg(depth: number, blocks: readonly (readonly TxView[])[]): void {
    const disconnected = Array.from({ length: depth }, () => this.#revert());
    const connected = blocks.map((txs) => this.#apply(txs)).map((node) => ({ node, block: { txs: node.txs } }));
    this.#tell({ connected, disconnected });
  }

  /** Disconnects the last blocks as invalidateblock does. @param steps number of blocks of each change */
  invalidate(steps: readonly number[]): void {
    let invalidatedBefore = 0;
    for (const depth of steps) {
      const disconnected = Array.from({ length: depth }, () => this.#revert());
      this.#tell({ connected: [], disconnected, invalidatedBefore });
      invalidatedBefore += depth;
    }
  }

  #tell(change: Change): void {
    this.#known.clear();
    // Outputs of the new blocks are still cached.
    for (const { block } of change.connected) {
      for (const tx of block.txs) for (let i = 0; i < tx.outputCount; i++) this.#known.add(hashKey(outpointOf(tx, i)));
    }
    for (const listener of this.#listeners) listener(this.tip, change);
  }

  #apply(txs: readonly TxView[]): ModelNode {
    const height = this.tip.height + 1;
    const salt = this.#salt++;
    const coinbase = spend(this.#hashes, [], [{ value: 0, script: ANYONE }], {
      coinbaseScript: Uint8Array.of(2, height & 255, salt & 255),
    });
    const all = [coinbase, ...txs];
    const node = new ModelNode(this.tip, height, this.tip.time + 1, all, salt, this.#hashes);
    const undo: [string, Coin][] = [];
    for (const tx of all) {
      for (let i = 0; i < tx.inputCount && !tx.isCoinbase; i++) {
        const key = hashKey(tx.outpoint(i));
        const coin = this.coinMap.get(key);
        if (coin === undefined) throw new Error('the model was given a block that spends nothing');
        undo.push([key, coin]);
        this.coinMap.delete(key);
      }
      for (let i = 0; i < tx.outputCount; i++) {
        this.coinMap.set(hashKey(outpointOf(tx, i)), {
          value: tx.outputValue(i),
          script: tx.outputScript(i),
          height,
          coinbase: tx.isCoinbase,
        });
      }
    }
    this.#undo.set(node, undo);
    this.tip = node;
    return node;
  }

  #revert(): Change['disconnected'][number] {
    const node = this.tip;
    const undo = this.#undo.get(node);
    if (undo === undefined || node.prev === null) throw new Error('the model has nothing to disconnect');
    for (const tx of node.txs) for (let i = 0; i < tx.outputCount; i++) this.coinMap.delete(hashKey(outpointOf(tx, i)));
    for (const [key, coin] of undo) this.coinMap.set(key, coin);
    // Also removes outputs that the same block created and spent.
    for (const tx of node.txs) for (let i = 0; i < tx.outputCount; i++) this.coinMap.delete(hashKey(outpointOf(tx, i)));
    this.tip = node.prev;
    return { node, block: node };
  }
}

/** Returns the outpoint of an output. */
export function outpointOf(tx: TxView, index: number): Uint8Array {
  const outpoint = new Uint8Array(36);
  outpoint.set(tx.txid);
  new DataView(outpoint.buffer).setUint32(32, index, true);
  return outpoint;
}

export interface SpendOptions {
  readonly sequence?: number;
  readonly locktime?: number;
  readonly version?: number;
  readonly scriptSig?: Uint8Array;
  readonly witness?: readonly Uint8Array[];
  readonly coinbaseScript?: Uint8Array;
}

/** Returns a transaction that spends these outpoints; a coinbase if there are none. */
export function spend(
  hashes: Hashes,
  outpoints: readonly Uint8Array[],
  outputs: readonly TxOutputFields[],
  options: SpendOptions = {},
): TxView {
  const { sequence = 0xfffffffd, scriptSig = new Uint8Array(0), witness } = options;
  const inputs =
    outpoints.length === 0
      ? [{ prevHash: new Uint8Array(32), prevIndex: 0xffffffff, scriptSig: options.coinbaseScript ?? new Uint8Array(2), sequence }]
      : outpoints.map((outpoint) => ({
          prevHash: outpoint.slice(0, 32),
          prevIndex: new DataView(outpoint.buffer, outpoint.byteOffset).getUint32(32, true),
          scriptSig,
          sequence,
          ...(witness === undefined ? {} : { witness }),
        }));
  return parseTx(buildTx({ version: options.version ?? 2, inputs, outputs, locktime: options.locktime ?? 0 }), hashes);
}

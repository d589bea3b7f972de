// A made-up node whose chain and mempool a test changes step by step. A wallet's client is connected to it.

import { parseBlock } from '../../src/consensus/block/block-view.js';
import { buildTx } from '../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { InlineNodeClient } from '../../src/node/inline-node-client.js';
import { StoreError } from '../../src/storage/store-error.js';
import { TestBlock } from './chain-client.js';

const crypto = createNativeCrypto();

export interface GrowingNode {
  readonly client: InlineNodeClient;
  readonly tip: TestBlock;
  /** Number of transactions that entered the mempool. */
  readonly entered: number;
  /** Number of times that the whole mempool was read. */
  readonly poolReads: number;
  /** Adds a block with one transaction. */
  connect(): TestBlock;
  /** Adds blocks as the download engine does: the tip jumps over them. */
  jump(blocks: number): void;
  /** Disconnects the tip. */
  disconnect(): TestBlock;
  /** Adds a transaction to the mempool. */
  enter(): TxView;
  leave(tx: TxView): void;
  /** True while transactions of disconnected blocks are returning to the mempool. Tests set it to false. */
  returning: boolean;
  /** Result of keepFrom(). */
  readonly keptFrom: number;
}

const txOf = (number: number): TxView => {
  const prevHash = crypto.sha256(new Uint8Array(Uint32Array.of(number).buffer));
  const input = { prevHash, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
  return parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ value: number, script: Uint8Array.of(0x51) }], locktime: 0 }), crypto);
};

export function createNode(): GrowingNode {
  let tip = new TestBlock(crypto.sha256(Uint8Array.of(0)), null, 0, 1_600_000_000);
  const blocks = new Map<string, { node: TestBlock; bytes: Uint8Array }>([[tip.hashHex, { node: tip, bytes: new Uint8Array(0) }]]);
  const pool = new Map<string, TxView>();
  let [made, entered, poolReads, returning] = [0, 0, 0, false];
  let guard = (): number => 0;
  const keyOf = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString('hex');
  const viewOf = (node: TestBlock) => parseBlock(blocks.get(node.hashHex)!.bytes, crypto);
  const chain = {
    get tip() {
      return tip;
    },
    guardBlocks: (asked: () => number) => {
      guard = asked;
    },
    verificationProgress: () => 1,
    isInitialBlockDownload: () => false,
    havePruned: false,
    history: null,
    hasBlock: () => true,
    placeOf: () => null,
    node: (hash: Uint8Array) => blocks.get(keyOf(hash))?.node,
    atHeight: (height: number) => (height <= tip.height ? (tip.ancestor(height) ?? undefined) : undefined),
    contains: (node: TestBlock) => tip.ancestor(node.height) === node,
    readBlock: async (node: TestBlock) => {
      if (node.height === 0) throw new StoreError('STORE_NOT_FOUND', 'no file has the first block');
      return viewOf(node);
    },
  };
  const mempool = {
    *entries() {
      poolReads++;
      for (const tx of pool.values()) yield { txid: tx.txid, bytes: tx.bytes, ancestorCount: 1 };
    },
    get: (txid: Uint8Array) => pool.get(keyOf(txid)) && { txid },
    spender: () => undefined,
    get returning() {
      return returning;
    },
    settled: async () => {
      while (returning) await new Promise((resolve) => setImmediate(resolve));
    },
    loaded: true,
    fees: { highestTarget: () => 1008, smart: () => ({ feeRate: 1234, blocks: 6, reason: 'None' }) },
  };
  const client = new InlineNodeClient({
    chain: { view: chain, blocks: chain, coins: chain, commands: chain } as never,
    mempool: mempool as never,
    crypto,
    scanner: null,
    // Returns a signing job unchanged.
    signing: { size: 3, run: async (_class, _name, job) => job as never },
    filters: null,
    mostRelatives: { ancestors: 25, descendants: 26 },
  });
  const move = (change: unknown): void => client.onTip(tip as never, change as never);
  const addBlock = (): TestBlock => {
    const hash = crypto.sha256(new Uint8Array(Uint32Array.of(++made, 7).buffer));
    const node = new TestBlock(hash, tip, tip.height + 1, tip.time + 600);
    const header = new Uint8Array(80);
    header.set(tip.hash, 4);
    const bytes = new Uint8Array(Buffer.concat([header, Buffer.of(1), txOf(made + 1_000_000).bytes]));
    blocks.set(node.hashHex, { node, bytes });
    tip = node;
    return node;
  };
  return {
    client,
    get tip() {
      return tip;
    },
    get entered() {
      return entered;
    },
    get poolReads() {
      return poolReads;
    },
    get keptFrom() {
      return guard();
    },
    get returning() {
      return returning;
    },
    set returning(on) {
      returning = on;
    },
    connect() {
      const node = addBlock();
      move({ disconnected: [], connected: [{ node, block: viewOf(node) }] });
      return node;
    },
    jump(blocks) {
      const jumpedFrom = tip;
      for (let i = 0; i < blocks; i++) addBlock();
      move({ disconnected: [], connected: [], jumpedFrom });
    },
    disconnect() {
      const node = tip;
      tip = node.prev!;
      returning = true;
      move({ disconnected: [{ node, block: viewOf(node) }], connected: [] });
      return node;
    },
    enter() {
      const tx = txOf(++entered);
      pool.set(keyOf(tx.txid), tx);
      client.onEntered({ tx } as never);
      return tx;
    },
    leave(tx) {
      pool.delete(keyOf(tx.txid));
      client.onLeft({ tx } as never, 'conflict');
    },
  };
}

// Implements the wallets' view of a node over a made-up chain and mempool.

import type { TxView } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { InlineNodeClient, locatorOf } from '../../src/node/inline-node-client.js';
import type { BlockFacts, NodeClient, NodeEvent } from '../../src/wallet/node-client.js';

/** A block of a chain of tests, in the form in which wallets see blocks. */
export class TestBlock implements BlockFacts {
  readonly hashHex: string;
  readonly progress = 1;
  readonly txCount = 0;
  constructor(
    readonly hash: Uint8Array,
    readonly prev: TestBlock | null,
    readonly height: number,
    readonly time: number,
  ) {
    this.hashHex = Buffer.from(hash).reverse().toString('hex');
  }
  get prevHash(): Uint8Array | null {
    return this.prev?.hash ?? null;
  }
  get maxTime(): number {
    return Math.max(this.prev?.maxTime ?? 0, this.time);
  }
  get medianTime(): number {
    return this.time;
  }
  medianTimePast(): number {
    return this.time;
  }
  /** Returns null below the first block of the chain. */
  ancestor(height: number): TestBlock | null {
    let at: TestBlock | null = this;
    while (at !== null && at.height > height) at = at.prev;
    return at;
  }
}

/** Returns the event of a block that was connected to the one before it. */
export const connected = (node: TestBlock, txs: readonly TxView[]): NodeEvent => ({
  kind: 'connected',
  node,
  block: { txs } as never,
  locator: locatorOf(node as never),
});
/** Returns the event of a disconnected tip. */
export const disconnected = (node: TestBlock, txs: readonly TxView[]): NodeEvent => ({
  kind: 'disconnected',
  node,
  block: { txs } as never,
  before: node.prev!,
  locator: locatorOf(node.prev as never),
});

/** The chain that ends with a block. */
export interface TestChain {
  readonly tip: BlockFacts;
  node(hash: Uint8Array): BlockFacts | undefined;
  atHeight(height: number): BlockFacts | undefined;
  contains(node: BlockFacts): boolean;
  readBlock(node: BlockFacts): Promise<{ readonly txs: readonly TxView[] }>;
}

/** @param others members of the client that replace the default ones */
export function clientOf(chain: Partial<TestChain>, mempool: object = {}, others: Partial<NodeClient> = {}): NodeClient {
  const nothing = (): void => {};
  const whole = {
    guardBlocks: () => nothing,
    verificationProgress: () => 1,
    isInitialBlockDownload: () => false,
    havePruned: false,
    history: null,
    hasBlock: () => true,
    placeOf: () => null,
    atHeight: () => chain.tip,
    node: () => chain.tip,
    contains: () => true,
  };
  const pool = {
    entries: () => [],
    fees: { highestTarget: () => 1008 },
    get: () => undefined,
    spender: () => undefined,
    returning: false,
    mempoolSettled: async () => {},
  };
  const face = Object.create(whole, Object.getOwnPropertyDescriptors(chain));
  const client = new InlineNodeClient({
    chain: { view: face, blocks: face, coins: face, commands: face },
    mempool: Object.create(pool, Object.getOwnPropertyDescriptors(mempool)),
    crypto: createNativeCrypto(),
    scanner: null,
    signing: null,
    filters: null,
    mostRelatives: { ancestors: 25, descendants: 25 },
  });
  return Object.defineProperties(client, Object.getOwnPropertyDescriptors(others)) as NodeClient;
}

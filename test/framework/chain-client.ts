// Implements the wallets' view of a node over a made-up chain and mempool.

import type { TxView } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { InlineNodeClient, locatorOf } from '../../src/node/inline-node-client.js';
import type { BlockFacts, NodeClient, NodeEvent } from '../../src/wallet/node-client.js';

/** A block without a header: of a chain, and as wallets know it. */
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
  /** Null below the first block that there is. */
  ancestor(height: number): TestBlock | null {
    let at: TestBlock | null = this;
    while (at !== null && at.height > height) at = at.prev;
    return at;
  }
}

/** A block joined on top of the one before it. */
export const connected = (node: TestBlock, txs: readonly TxView[]): NodeEvent => ({
  kind: 'connected',
  node,
  block: { txs } as never,
  locator: locatorOf(node as never),
});
/** The tip left. */
export const disconnected = (node: TestBlock, txs: readonly TxView[]): NodeEvent => ({
  kind: 'disconnected',
  node,
  block: { txs } as never,
  before: node.prev!,
  locator: locatorOf(node.prev as never),
});

/** The chain that a block is the tip of, as far as blocks have others before them. */
export interface TestChain {
  readonly tip: BlockFacts;
  node(hash: Uint8Array): BlockFacts | undefined;
  atHeight(height: number): BlockFacts | undefined;
  contains(node: BlockFacts): boolean;
  readBlock(node: BlockFacts): Promise<{ readonly txs: readonly TxView[] }>;
}

/** @param others members of the client that answer otherwise */
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

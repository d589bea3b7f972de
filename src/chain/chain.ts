// The chain as the rest of the node sees it: the header tree, the active branch and its coins, and every way to change them.
// Callers: RPC, mempool, templates, peers, wallet, start-up.

import type { BlockView } from '../consensus/block/block-view.js';
import type { Coin } from '../consensus/coin.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Verdict } from '../consensus/state.js';
import type { CoinsCache } from './coins/coins-cache.js';
import type { CheckedListener, HeaderListener, TipListener } from './events.js';
import type { HeaderNode } from './header-node.js';
import type { ChainDeps, ChainOptions } from './options.js';
import type { BlockOutcome, ChainStats, ChainTip, CoinsStats, KnownBlock } from './outcome.js';

/** How far a file import came. */
export interface ImportProgress {
  readonly blocks: number;
  readonly bytes: number;
  readonly height: number;
  readonly blocksPerSecond: number;
}

/** How a block is tested without being kept. */
export interface ValidityOptions {
  /** Proof of work and, on signet, the block signature. */
  readonly checkPow: boolean;
  readonly checkMerkle: boolean;
  /** Queue of the script checks; 'proposal' by default. */
  readonly klass?: 'proposal' | 'block';
}

export class Chain {
  /** Opens what the store holds, repairs what a crash left, and connects blocks that are stored but not connected yet. */
  static async open(_options: Partial<ChainOptions>, _deps: ChainDeps): Promise<Chain> {
    throw new Error('later');
  }
  readonly params!: ChainParams;
  /** The coins at the tip. Prefetch, then get. Only the chain changes it. */
  readonly coins!: CoinsCache;
  get tip(): HeaderNode { throw new Error('later'); }
  get genesis(): HeaderNode { throw new Error('later'); }
  get bestHeader(): HeaderNode { throw new Error('later'); }
  /** Set once storage failed; every change is refused from then on. */
  get fault(): Error | null { throw new Error('later'); }
  /** @param hash 32 bytes internal order, or 64 digits of display hex */
  node(_hash: Uint8Array | string): HeaderNode | undefined { throw new Error('later'); }
  /** Block of the active chain. */
  atHeight(_height: number): HeaderNode | undefined { throw new Error('later'); }
  /** Whether the block is in the active chain. */
  contains(_node: HeaderNode): boolean { throw new Error('later'); }
  /** Next block of the active chain after one of its blocks. */
  next(_node: HeaderNode): HeaderNode | undefined { throw new Error('later'); }
  isInitialBlockDownload(): boolean { throw new Error('later'); }
  /** Core's GuessVerificationProgress, 0..1. */
  verificationProgress(_node: HeaderNode): number { throw new Error('later'); }
  /** Script flags of the block after the tip. */
  nextBlockFlags(): number { throw new Error('later'); }
  /** What submitblock and proposals look up first. */
  known(_hash: Uint8Array): KnownBlock { throw new Error('later'); }
  /** The block itself, or with a 32-zero-byte coinbase witness added where a miner left it out (Core's UpdateUncommittedBlockStructures). */
  withWitnessReserved(_block: BlockView): BlockView { throw new Error('later'); }
  /** Checks, stores and activates a block (ProcessNewBlock). @param options.force the block was asked for: store it even when it has less work; default true */
  submitBlock(_block: Uint8Array | BlockView, _options?: { force?: boolean }): Promise<BlockOutcome> { throw new Error('later'); }
  /** Checks and stores a header. null: accepted or already known as good. @throws DecodeError under 80 bytes */
  submitHeader(_header: Uint8Array): Promise<Verdict> { throw new Error('later'); }
  /** Connects a block onto the tip without keeping anything. The block's parent must be the tip, else verdict 'inconclusive-not-best-prevblk'. */
  testBlockValidity(_block: BlockView, _options: ValidityOptions): Promise<Verdict> { throw new Error('later'); }
  /** false: genesis, which cannot be invalidated. */
  invalidateBlock(_node: HeaderNode): Promise<boolean> { throw new Error('later'); }
  reconsiderBlock(_node: HeaderNode): Promise<void> { throw new Error('later'); }
  preciousBlock(_node: HeaderNode): Promise<void> { throw new Error('later'); }
  /** Whether the block's bytes are stored. */
  hasBlock(_node: HeaderNode): boolean { throw new Error('later'); }
  readBlock(_node: HeaderNode): Promise<BlockView> { throw new Error('later'); }
  /** The bytes as stored, unparsed. */
  readBlockBytes(_node: HeaderNode): Promise<Uint8Array> { throw new Error('later'); }
  /** Coins spent by a connected block: per transaction after the coinbase, per input. Empty for genesis. */
  readUndo(_node: HeaderNode): Promise<Coin[][]> { throw new Error('later'); }
  /** An unspent output at the tip. @param outpoint 36 bytes */
  coin(_outpoint: Uint8Array): Promise<Coin | undefined> { throw new Error('later'); }
  /** Flushes, then walks all coins in slices. */
  coinsStats(_hashType?: 'hash_serialized_2' | 'none'): Promise<CoinsStats> { throw new Error('later'); }
  /** Ends of the tree with their status, highest first. */
  tips(): ChainTip[] { throw new Error('later'); }
  /** Core's verifychain. @param level 0..4 @param blocks 0 = all */
  verifyChain(_level: number, _blocks: number): Promise<boolean> { throw new Error('later'); }
  /** Reads a blk file, bootstrap.dat or a file of hex lines, with full validation. @returns blocks accepted as new */
  loadBlockFile(_path: string, _onProgress?: (progress: ImportProgress) => void): Promise<number> { throw new Error('later'); }
  /** Registers a listener; those registered first are called first. @returns unsubscribe */
  onTip(_listener: TipListener): () => void { throw new Error('later'); }
  onHeader(_listener: HeaderListener): () => void { throw new Error('later'); }
  onChecked(_listener: CheckedListener): () => void { throw new Error('later'); }
  /** Writes everything to the store; near the tip this is already so. */
  flush(): Promise<void> { throw new Error('later'); }
  stats(): ChainStats { throw new Error('later'); }
  /** Finishes the change under way, flushes, syncs. The store and files stay open (their owner closes them). */
  close(): Promise<void> { throw new Error('later'); }
}

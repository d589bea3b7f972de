// What wallets need of the node, declared by them: chain/chain.ts and mempool/mempool.ts fit. Hashes in internal order.
import type { ScriptAddressType } from '../address/multisig.js';
import type { BlockView } from '../consensus/block/block-view.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { SpendOptions } from './spend/options.js';

export interface WalletBlock {
  readonly hash: Uint8Array;
  readonly hashHex: string;
  readonly height: number;
  readonly time: number;
  /** The largest time up to this block. */
  readonly maxTime: number;
  readonly prev: WalletBlock | null;
  ancestor(height: number): WalletBlock | null;
  medianTimePast(): number;
}

export interface WalletChain {
  readonly tip: WalletBlock;
  node(hash: Uint8Array): WalletBlock | undefined;
  atHeight(height: number): WalletBlock | undefined;
  contains(node: WalletBlock): boolean;
  readBlock(node: WalletBlock): Promise<BlockView>;
  verificationProgress(node: WalletBlock): number;
  /** Whether blocks were ever deleted for want of room. */
  readonly havePruned: boolean;
  /** The blocks below a snapshot that the chain stands on, while they are being downloaded; null otherwise. */
  readonly history: { readonly base: WalletBlock } | null;
  /** The lowest block from which on all blocks up to the tip are stored. */
  readonly lowestStored: WalletBlock;
  /** Where the block lies in the files; null while it is not all there. undoPos is -1 for genesis. */
  placeOf(node: WalletBlock): { readonly file: number; readonly pos: number; readonly undoPos: number } | null;
}

/** Filters of BIP-0158, where the node keeps them. */
export interface WalletFilters {
  /** @param blockHash internal order @returns undefined while the index has not come so far */
  find(blockHash: Uint8Array): Promise<{ readonly filter: Uint8Array } | undefined>;
}

/** A block that joined or left the chain. */
export interface WalletBlockEvent {
  readonly node: WalletBlock;
  readonly block: BlockView;
}

export interface WalletChange {
  readonly disconnected: readonly WalletBlockEvent[];
  readonly connected: readonly WalletBlockEvent[];
}

export interface WalletPool {
  /** `ancestorCount` counts a transaction itself: its parents have fewer. */
  entries(): Iterable<{ readonly tx: TxView; readonly ancestorCount: number }>;
  get(txid: Uint8Array): unknown;
}

/** What happened, in the order it did. */
export type WalletEvent =
  | { readonly kind: 'connected' | 'disconnected'; readonly node: WalletBlock; readonly block: BlockView }
  /** The chain went on from a snapshot: the blocks up to this one come later, all at once. */
  | { readonly kind: 'jumped'; readonly node: WalletBlock }
  | { readonly kind: 'entered'; readonly tx: TxView }
  | { readonly kind: 'left'; readonly tx: TxView; readonly conflict: boolean };

/** Settings of the wallet room, with Core's defaults. */
export interface WalletOptions {
  readonly enabled: boolean;
  /** Whether removeprunedfunds is there: release 32 wants -deprecatedrpc for it. */
  readonly removesRecords: boolean;
  /** Folder of all wallets. */
  readonly dir: string;
  /** To load at the start: -wallet and the list of settings.json. */
  readonly names: readonly string[];
  /** Nothing says which to load, not even that it is none: the wallet without a name is, where there is one. */
  readonly unnamed: boolean;
  readonly keypool: number;
  /** A new seed of descriptors gives out taproot addresses too, as since release 23. */
  readonly taprootSeeds: boolean;
  /**
   * As since release 25: a coinbase whose block left the chain is abandoned with all that spends it, addresses that a
   * payment to a later one passes over get the empty label, what a scan finds has its block's time, and it looks at the
   * mempool too.
   */
  readonly laterRecords: boolean;
  readonly addressType: ScriptAddressType;
  readonly changeType: ScriptAddressType | undefined;
  /**
   * Scripts, transactions and coins from which on a wallet keeps an image of its tables (-walletimage); 0: none does.
   */
  readonly imageRows: number;
  readonly spendZeroConfChange: boolean;
  /** Whether payments are handed to the mempool and the peers (-walletbroadcast). */
  readonly walletBroadcast: boolean;
  readonly spend: SpendOptions;
  /** -rescan: wallets look through past blocks whenever they are loaded. */
  readonly rescan: boolean;
  /** -signer. */
  readonly signerCommand: string | undefined;
  /** -walletnotify. */
  readonly notifyCommand: string | undefined;
}

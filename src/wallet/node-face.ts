// Face of this module for the node thread, which must not load the wallets: the link to their thread, and errors.
export { ExternalSigner, NoSignerError, type RunForJson, SignerError } from './external-signer.js';
export { type FillOptions, type FillOutcome, fillPsbt } from './fill-psbt.js';
export type { LegacyKeys } from './keys/legacy-keys.js';
export {
  CLIENT_COUNTER,
  type ClientFacts,
  compactCopy,
  kilobytesOf,
  type PackedEvent,
  type PackedMempool,
  type ToNode,
  type ToWallets,
  TXID_BYTES,
} from './linked-node-client.js';
export { adviceForDamagedWallet, describeStoreError, NEEDS_PASSPHRASE, NOT_LOADED, WalletError } from './manage/wallet-error.js';
export type { WalletManager } from './manage/wallet-manager.js';
export {
  type BlockFacts,
  type Fork,
  type KnownBlock,
  MempoolTx,
  type NodeClient,
  type NodeConstants,
  type NodeEvent,
  type NodeRates,
  type Relatives,
  type StoredBlocks,
  TIMESTAMP_WINDOW,
} from './node-client.js';
export type { WalletOptions } from './options.js';
export { answerOutputs } from './output-queries.js';
export { loadsAtStart } from './storage/wallet-folder.js';
export type { Wallet } from './wallet.js';
export { WALLET_FLAG } from './wallet-record.js';

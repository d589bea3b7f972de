// A wallet without disk, chain or mempool, for tests of payments. Tests tell it about received payments.

import { buildTx } from '../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { createSigner } from '../../src/crypto/native/sign.js';
import { MemoryStore } from '../../src/storage/memory-store.js';
import type { Store } from '../../src/storage/store.js';
import { TX_STATE, UNCONFIRMED_PLACE } from '../../src/wallet/coins/tx-table.js';
import { fillPool } from '../../src/wallet/keys/fill-pool.js';
import type { AddressType } from '../../src/wallet/keys/key-source.js';
import { assembleWallet, type WalletSurroundings } from '../../src/wallet/manage/load-wallet.js';
import { generateKeys } from '../../src/wallet/manage/new-keys.js';
import type { NodeClient, Relatives } from '../../src/wallet/node-client.js';
import type { WalletOptions } from '../../src/wallet/options.js';
import { DEFAULT_SPEND, type SpendOptions } from '../../src/wallet/spend/options.js';
import type { SpendTools } from '../../src/wallet/spend/payment.js';
import { createRandomSource } from '../../src/wallet/spend/random-source.js';
import type { Wallet } from '../../src/wallet/wallet.js';
import { WALLET_FLAG, WalletRecord } from '../../src/wallet/wallet-record.js';
import { clientOf, TestBlock } from './chain-client.js';
import { descriptorContext } from './descriptor-context.js';

export const crypto = createNativeCrypto();
const signer = createSigner();
/** Relatives of a mempool transaction that has no relatives. */
export const ALONE: Relatives = {
  ancestors: 1,
  ancestorSize: 200,
  ancestorFees: 1000,
  descendants: 1,
  cluster: 1,
  hasDescendants: false,
  replaceableAncestor: false,
};
/** Default options of the wallets. */
export const PLAIN_OPTIONS: WalletOptions = {
  enabled: true,
  dir: '',
  names: [],
  unnamed: true,
  keypool: 5,
  addressType: 'bech32',
  changeType: undefined,
  descriptorWallets: false,
  taprootSeeds: false,
  laterRecords: false,
  removesRecords: true,
  signerCommand: undefined,
  imageRows: 0,
  rescan: false,
  spendZeroConfChange: true,
  walletBroadcast: true,
  notifyCommand: undefined,
  spend: DEFAULT_SPEND,
};
/** Height of the tip of a new wallet. */
export const TIP = 1000;

type Open<T> = { -readonly [K in keyof T]: T[K] };

export interface MemoryWallet {
  readonly wallet: Wallet;
  /** Dependencies of the wallet, for loading its rows again. */
  readonly surroundings: WalletSurroundings;
  /** Dependencies of payments. Tests may replace members, also those of the client. */
  readonly tools: Open<Omit<SpendTools, 'client'>> & { readonly client: Open<NodeClient> };
  /** Returns the script of a new address of a type. */
  address(type: AddressType): Promise<Uint8Array>;
  /** Adds a foreign transaction that pays scripts. @param height height of its block; 0: it is in the mempool */
  receive(outputs: readonly { script: Uint8Array; value: number }[], height: number): Promise<TxView>;
  /** Puts a transaction of the wallet into the mempool. */
  enter(tx: TxView): Promise<void>;
}

export interface MemoryWalletOptions {
  readonly descriptors?: boolean;
  readonly avoidReuse?: boolean;
  readonly wallet?: Partial<WalletOptions>;
  readonly spend?: Partial<SpendOptions>;
  /** Database of the wallet, and its folder; absent: a database in memory. */
  readonly store?: Store;
  readonly folder?: string;
  /** Returns the seconds at which transactions arrive; absent: always the same time. */
  readonly now?: () => number;
  /** Returns true if the lock time of a transaction allows it in the next block; absent: always. */
  readonly isFinal?: (tx: TxView) => boolean;
  /** Called with a batch that could not be written; absent: the wallet throws. */
  readonly onFault?: (error: unknown) => void;
}

export async function createMemoryWallet(wanted: MemoryWalletOptions = {}): Promise<MemoryWallet> {
  const context = descriptorContext('master', 'regtest');
  const record = new WalletRecord();
  record.flags = wanted.descriptors ? WALLET_FLAG.DESCRIPTORS : WALLET_FLAG.KEY_ORIGIN_METADATA;
  if (wanted.avoidReuse) record.flags |= WALLET_FLAG.AVOID_REUSE;
  const spend = { ...DEFAULT_SPEND, fallbackFeeRate: 10_000, ...wanted.spend };
  const options: WalletOptions = {
    ...PLAIN_OPTIONS,
    ...wanted.wallet,
    spend,
  };
  const surroundings = {
    crypto,
    options,
    context,
    now: wanted.now ?? (() => 1_600_000_000),
    isFinal: wanted.isFinal ?? (() => true),
    onFault:
      wanted.onFault ??
      ((error: unknown) => {
        throw error;
      }),
    onTransaction: () => {},
  };
  const wallet = assembleWallet(surroundings, {
    name: 'w',
    folder: wanted.folder ?? '',
    record,
    encrypted: false,
    store: wanted.store ?? new MemoryStore(),
  });
  await wallet.change((batch) => generateKeys(wallet, context, batch));
  await fillPool(wallet, 0);
  wallet.position.moveTo(blockAt(TIP));
  wallet.position.setLocator(wallet.tip!.hash);
  wallet.ledger.setTip(TIP);
  let nonce = 0;
  const client = clientOf(
    { tip: wallet.tip! },
    {},
    {
      estimate: async () => ({ feeRate: 0, reason: 'None' }),
      rates: async () => ({ mempoolMinimum: 0, relayMinimum: 1000, incremental: 1000, dust: 3000 }),
      relatives: async (txids) => txids.map(() => ALONE),
      bumpFees: async (outpoints) => ({ each: outpoints.map(() => 0), together: 0 }),
      fitsChainLimits: async () => true,
      broadcast: async () => null,
      isReady: async () => true,
    },
  );
  const tools = {
    client,
    options: spend,
    crypto,
    descriptors: context,
    signer,
    chance: createRandomSource(),
    nowSeconds: () => 1_600_000_000,
    log: () => {},
  };
  return {
    wallet,
    surroundings,
    tools,
    address: async (type) => {
      const made = await wallet.change((batch) => wallet.keys.newAddress(type, false, batch));
      if ('error' in made) throw new Error(made.error);
      return made.script;
    },
    receive: async (outputs, height) => {
      const prevHash = crypto.sha256(new Uint8Array(new Uint32Array([++nonce, TIP]).buffer));
      const input = { prevHash, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
      const tx = parseTx(buildTx({ version: 2, inputs: [input], outputs, locktime: 0 }), crypto);
      const block = blockAt(height);
      const place = { state: TX_STATE.CONFIRMED, height, blockHash: block.hash, blockTime: block.time, position: nonce };
      await wallet.change((batch) => wallet.ledger.syncTransaction(tx, height > 0 ? place : UNCONFIRMED_PLACE, batch));
      if (height === 0) wallet.ledger.setInMempool(tx, true);
      return tx;
    },
    enter: async (tx) => {
      await wallet.change((batch) => wallet.ledger.syncTransaction(tx, UNCONFIRMED_PLACE, batch));
      wallet.ledger.setInMempool(tx, true);
    },
  };
}

function blockAt(height: number): TestBlock {
  const hash = crypto.sha256(new Uint8Array(new Uint32Array([height]).buffer));
  return new TestBlock(hash, null, height, 1_600_000_000 - 600 * (TIP - height));
}

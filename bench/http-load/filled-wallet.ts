// Fills wallets of any size for benches, straight in their database by the wallet's own code. The chain does not
// contain their transactions, which are recorded in existing blocks. Half of the transactions receive payments, the
// other half spend them. Addresses are used repeatedly, as those of a pool's customers are.
import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import type { DescriptorContext } from '../../src/address/descriptor/context.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { createKeyMath } from '../../src/crypto/native/key-math.js';
import { openStore } from '../../src/storage/open-store.js';
import { loadWallet } from '../../src/wallet/manage/load-wallet.js';
import type { BlockFacts } from '../../src/wallet/node-client.js';
import { DEFAULT_SPEND } from '../../src/wallet/spend/options.js';
import { WalletBatch } from '../../src/wallet/storage/wallet-batch.js';
import { databaseOf } from '../../src/wallet/storage/wallet-folder.js';
import type { Wallet } from '../../src/wallet/wallet.js';
import { placeIn } from '../../src/wallet/wallet-state.js';
import type { Daemon } from '../../test/framework/daemon.js';

/** Size of the wallet to make. */
export interface WalletSize {
  readonly transactions: number;
  /** Own addresses, a fifth of them for change. */
  readonly addresses: number;
}

/** Number of foreign scripts that are paid. */
const PAYEES = 5000;
const VALUE = 100_000;

/** A block of the daemon's chain with the fields that the wallet reads. */
class Block implements BlockFacts {
  readonly progress = 1;
  constructor(
    readonly hashHex: string,
    readonly height: number,
    readonly time: number,
    readonly prev: Block | null,
    private readonly all: readonly Block[],
  ) {}
  get hash(): Uint8Array {
    return new Uint8Array(Buffer.from(this.hashHex, 'hex').reverse());
  }
  /** Locator as a node makes it. */
  get locator(): Uint8Array {
    const hashes: Uint8Array[] = [];
    for (let at = this.height, step = 1; at > 0; at -= step) {
      hashes.push(this.all[at].hash);
      if (hashes.length > 10) step *= 2;
    }
    return new Uint8Array(Buffer.concat([...hashes, this.all[0].hash]));
  }
  get prevHash(): Uint8Array | null {
    return this.prev?.hash ?? null;
  }
  get medianTime(): number {
    return this.time;
  }
  get maxTime(): number {
    return Math.max(this.prev?.maxTime ?? 0, this.time);
  }
}

async function blocksOf(daemon: Daemon): Promise<Block[]> {
  const blocks: Block[] = [];
  const height = await daemon.call('getblockcount');
  for (let at = 0; at <= height; at++) {
    const header = await daemon.call('getblockheader', await daemon.call('getblockhash', at));
    blocks.push(new Block(header.hash, at, header.time, blocks.at(-1) ?? null, blocks));
  }
  return blocks;
}

const witnessScript = (hash: Uint8Array): Buffer => Buffer.concat([Buffer.of(0, 20), hash]);

interface Output {
  readonly script: Uint8Array;
  readonly value: number;
}

/**
 * Returns a transaction with one input, whose witness has the size of a signature and a key, and two outputs.
 * @param outpoint 36 bytes
 */
function payment(outpoint: Uint8Array, outputs: readonly [Output, Output], noise: Buffer): Uint8Array {
  const parts: Buffer[] = [Buffer.from('02000000000101', 'hex'), Buffer.from(outpoint), Buffer.from('00feffffff02', 'hex')];
  for (const { script, value } of outputs) {
    const amount = Buffer.alloc(8);
    amount.writeBigInt64LE(BigInt(value));
    parts.push(amount, Buffer.of(script.length), Buffer.from(script));
  }
  parts.push(Buffer.of(2, 71), noise.subarray(0, 71), Buffer.of(33), noise.subarray(71, 104), Buffer.alloc(4));
  return new Uint8Array(Buffer.concat(parts));
}

/** Fills a wallet that the daemon has created and unloaded. */
export async function fillWallet(daemon: Daemon, name: string, { transactions, addresses }: WalletSize): Promise<void> {
  const crypto = createNativeCrypto();
  const params = chainParams('regtest');
  const context: DescriptorContext = { params, hashes: crypto, keys: createKeyMath(), language: '0.21' };
  const folder = path.join(daemon.networkDir, 'wallets', name);
  const blocks = await blocksOf(daemon);
  const options = {
    enabled: true,
    dir: path.dirname(folder),
    names: [],
    unnamed: true,
    keypool: 1000,
    descriptorWallets: false,
    taprootSeeds: false,
    laterRecords: false,
    removesRecords: true,
    signerCommand: undefined,
    addressType: 'bech32',
    changeType: undefined,
    imageRows: 0,
    rescan: false,
    spendZeroConfChange: true,
    walletBroadcast: true,
    notifyCommand: undefined,
    spend: DEFAULT_SPEND,
  } as const;
  const { wallet } = await loadWallet(
    {
      crypto,
      options,
      context,
      now: () => blocks.at(-1)!.time,
      isFinal: () => true,
      onFault: (error) => {
        throw error;
      },
      onTransaction: () => {},
    },
    { name, folder },
    await openStore({ path: databaseOf(folder) }),
  );
  const own = await makeAddresses(wallet, addresses);
  await makeHistory(wallet, blocks, own, transactions, crypto);
  await wallet.close();
}

async function makeAddresses(wallet: Wallet, count: number): Promise<{ labelled: Uint8Array[]; change: Uint8Array[] }> {
  const labelled: Uint8Array[] = [];
  const change: Uint8Array[] = [];
  for (let done = 0; done < count; ) {
    const batch = new WalletBatch();
    for (let i = 0; i < 1000 && done < count; i++, done++) {
      const internal = done % 5 === 4;
      const result = wallet.keys.newAddress('bech32', internal, batch);
      if (!('script' in result)) throw new Error(result.error);
      (internal ? change : labelled).push(new Uint8Array(result.script));
      if (!internal) wallet.book.set(result.script, `customer ${done % 1000}`, 'receive', batch);
    }
    await wallet.commit(batch);
  }
  return { labelled, change };
}

async function makeHistory(
  wallet: Wallet,
  blocks: readonly Block[],
  own: { labelled: Uint8Array[]; change: Uint8Array[] },
  count: number,
  crypto: ReturnType<typeof createNativeCrypto>,
): Promise<void> {
  const payees = Array.from({ length: PAYEES }, (_, i) => witnessScript(createHash('sha1').update(String(i)).digest()));
  const unspent: Uint8Array[] = [];
  let spent = 0;
  const noise = randomBytes(104);
  let made = 0;
  for (const block of blocks.slice(1)) {
    const batch = new WalletBatch();
    wallet.position.moveTo(block);
    wallet.ledger.setTip(block.height);
    const due = Math.floor((count * block.height) / (blocks.length - 1)) - made;
    const fresh: Uint8Array[] = [];
    for (let position = 1; position <= due; position++, made++) {
      noise.writeUInt32LE(made);
      const spends = made % 2 === 1 && spent < unspent.length;
      const outpoint = spends ? unspent[spent++] : new Uint8Array(Buffer.concat([randomBytes(32), Buffer.alloc(4)]));
      const mine = spends ? own.change[made % own.change.length] : own.labelled[(made * 7) % own.labelled.length];
      const outputs: [Output, Output] = [
        { script: mine, value: VALUE + (made % 1000) },
        { script: payees[(made * 13) % PAYEES], value: VALUE / 2 },
      ];
      const tx = parseTx(payment(outpoint, outputs, noise), crypto);
      if (!wallet.ledger.syncTransaction(tx, placeIn(block, position), batch))
        throw new Error('a transaction of the wallet was not recognised');
      if (!spends) fresh.push(new Uint8Array(Buffer.concat([tx.txid, Buffer.alloc(4)])));
    }
    for (const one of fresh) unspent.push(one);
    wallet.position.setLocator(block.locator);
    wallet.position.writeLocator(batch);
    await wallet.commit(batch);
  }
}

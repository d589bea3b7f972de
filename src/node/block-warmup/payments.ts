// Coins of one key in the three usual output types, and payments that spend them to the same key: the contents of the
// warm-up's blocks. Also free coins that anyone can spend, for blocks whose scripts do not run, so nothing must be
// signed.

import { randomBytes } from 'node:crypto';
import type { KeyTools } from '../../address/bip32/extended-key.js';
import { buildTaproot } from '../../address/descriptor/taproot-tree.js';
import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { witnessProgramScript } from '../../consensus/script/build-script.js';
import { SIGHASH_ALL } from '../../consensus/script/sighash.js';
import type { SpentOutput } from '../../consensus/script/spent-output.js';
import { publicKeyHashScript } from '../../consensus/script/templates.js';
import { buildTx, type TxInputFields } from '../../consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { FlatProvider, type SigningTools, signTransaction } from '../../signing/index.js';

/** Fee of each payment in satoshis: far above the default relay fee, which the warm-up's mempool uses. */
const FEE = 100_000;
const INPUTS = 2;
/** Sequence without relative lock and without the BIP-0125 signal. */
const SEQUENCE = 0xffff_fffe;
const TX_VERSION = 2;
const TAPROOT_VERSION = 1;
/** Number of payments signed at a time. */
const SIGNED_AT_ONCE = 64;
const NOTHING = new Uint8Array(0);
/** OP_1. */
const TRUE = Uint8Array.of(0x51);

export interface OwnCoin extends SpentOutput {
  readonly txid: Uint8Array;
  readonly index: number;
}

/** Creates payments. Values are in satoshis. */
export class Payments {
  /** P2WPKH, P2PKH and P2TR scripts of the key. */
  readonly scripts: readonly Uint8Array[];
  /** P2WSH of a script that always succeeds. */
  readonly free: Uint8Array;
  readonly #provider = new FlatProvider();
  readonly #tools: SigningTools;
  readonly #waitForIdleNode: () => Promise<void>;

  /** @param waitForIdleNode awaited before each group is signed */
  constructor(keyTools: KeyTools, tools: SigningTools, waitForIdleNode: () => Promise<void>) {
    const { hashes, keys } = keyTools;
    this.#tools = tools;
    this.#waitForIdleNode = waitForIdleNode;
    const secret = randomBytes(32);
    const publicKey = keys.publicKey(secret, true);
    const taproot = publicKey && buildTaproot(publicKey.subarray(1), [], keyTools);
    if (!publicKey || !taproot) throw new Error('Random bytes made no key');
    const id = hashes.hash160(publicKey);
    this.#provider.publicKeys.set(hashKey(id), publicKey);
    this.#provider.addSecret(publicKey, secret, hashes);
    this.#provider.taproots.set(hashKey(taproot.outputKey), taproot);
    this.free = witnessProgramScript(0, hashes.sha256(TRUE));
    this.scripts = [witnessProgramScript(0, id), publicKeyHashScript(id), witnessProgramScript(TAPROOT_VERSION, taproot.outputKey)];
  }

  /** Returns a transaction that splits a coin into many, the same number for each script. */
  split(coin: OwnCoin, count: number, scripts = this.scripts): Promise<TxView> {
    const value = Math.floor((coin.value - FEE) / count);
    return this.#sign(
      [coin],
      Array.from({ length: count }, (_, i) => ({ value, script: scripts[Math.floor(i / INPUTS) % scripts.length] })),
    );
  }

  /** Returns payments that spend these coins in pairs to the same key. The number of coins stays the same. */
  async pay(coins: readonly OwnCoin[]): Promise<TxView[]> {
    const txs: TxView[] = [];
    for (let first = 0; first < coins.length; ) {
      await this.#waitForIdleNode();
      const signed: Promise<TxView>[] = [];
      for (; signed.length < SIGNED_AT_ONCE && first < coins.length; first += INPUTS) {
        const pair = coins.slice(first, first + INPUTS);
        const value = Math.floor((pair.reduce((sum, coin) => sum + coin.value, 0) - FEE) / pair.length);
        signed.push(
          this.#sign(
            pair,
            pair.map(({ script }) => ({ value, script })),
          ),
        );
      }
      for (const tx of await Promise.all(signed)) txs.push(tx);
    }
    return txs;
  }

  async #sign(coins: readonly OwnCoin[], outputs: readonly SpentOutput[]): Promise<TxView> {
    const { crypto } = this.#tools;
    const inputs = coins.map(({ txid, index }): TxInputFields => {
      return { prevHash: txid, prevIndex: index, scriptSig: NOTHING, sequence: SEQUENCE };
    });
    const fields = { version: TX_VERSION, outputs, locktime: 0 };
    if (coins.every(({ script }) => equalBytes(script, this.free))) {
      return parseTx(buildTx({ ...fields, inputs: inputs.map((input) => ({ ...input, witness: [TRUE] })) }), crypto);
    }
    const bare = parseTx(buildTx({ ...fields, inputs }), crypto);
    const signed = await signTransaction(bare, coins, this.#provider, SIGHASH_ALL, this.#tools);
    const whole = inputs.map((input, i) => ({ ...input, scriptSig: signed[i].scriptSig, witness: signed[i].witness }));
    return parseTx(buildTx({ ...fields, inputs: whole }), crypto);
  }

  /** Overwrites the key. */
  wipe(): void {
    this.#provider.wipe();
  }
}

/** Returns the outputs of a payment as coins. */
export function coinsOf(tx: TxView): OwnCoin[] {
  return Array.from({ length: tx.outputCount }, (_, index) => {
    return { txid: tx.txid, index, value: tx.outputValue(index), script: tx.outputScript(index) };
  });
}

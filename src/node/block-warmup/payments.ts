// Coins of one key in the three usual kinds of output, and payments of them back to it: what the blocks of a rehearsal
// are full of. And free ones that anyone can spend: where no scripts are rehearsed, nobody need sign.

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
import { type SigningTools, signTransaction } from '../../signing/sign-transaction.js';
import { FlatProvider } from '../../signing/signing-provider.js';

/** Satoshi that each payment leaves to the miner: far above the default relay fee, which is what a rehearsal asks for. */
const FEE = 100_000;
const INPUTS = 2;
/** No lock, and no replacement asked for. */
const SEQUENCE = 0xffff_fffe;
const TX_VERSION = 2;
const TAPROOT_VERSION = 1;
/** Payments that are signed at a time. */
const SIGNED_AT_ONCE = 64;
const NOTHING = new Uint8Array(0);
/** OP_1. */
const TRUE = Uint8Array.of(0x51);

/** An output to spend. */
export interface OwnCoin extends SpentOutput {
  readonly txid: Uint8Array;
  readonly index: number;
}

/** Values in satoshi. */
export class Payments {
  /** P2WPKH, P2PKH and P2TR, each of the key. */
  readonly scripts: readonly Uint8Array[];
  /** P2WSH of a script that is true. */
  readonly free: Uint8Array;
  readonly #provider = new FlatProvider();
  readonly #tools: SigningTools;
  readonly #waitForIdleNode: () => Promise<void>;

  /** @param turn waited for before some are signed */
  constructor(keyTools: KeyTools, tools: SigningTools, turn: () => Promise<void>) {
    const { hashes, keys } = keyTools;
    this.#tools = tools;
    this.#waitForIdleNode = turn;
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

  /** One transaction that makes many coins of another, as many for each script. */
  split(coin: OwnCoin, count: number, scripts = this.scripts): Promise<TxView> {
    const value = Math.floor((coin.value - FEE) / count);
    return this.#sign(
      [coin],
      Array.from({ length: count }, (_, i) => ({ value, script: scripts[Math.floor(i / INPUTS) % scripts.length] })),
    );
  }

  /** Payments of these coins to their owner, two by two, so that there are as many again. */
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

  /** Forgets the key. */
  wipe(): void {
    this.#provider.wipe();
  }
}

/** What a transaction of these payments makes. */
export function coinsOf(tx: TxView): OwnCoin[] {
  return Array.from({ length: tx.outputCount }, (_, index) => {
    return { txid: tx.txid, index, value: tx.outputValue(index), script: tx.outputScript(index) };
  });
}

// Makes a mempool for benches of the mempool itself: every coin exists on its chain, and its verifier accepts every
// script. Also makes ordinary payments to fill it.

import { buildTx } from '../../src/consensus/tx/build-tx.js';
import type { TxView } from '../../src/consensus/tx/tx-view.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { silentLogger } from '../../src/log/logger.js';
import { Mempool } from '../../src/mempool/mempool.js';
import type { MempoolOptions } from '../../src/mempool/options.js';
import type { MempoolChain } from '../../src/mempool/source.js';
import { ModelNode } from '../../test/framework/model-chain.js';
import { pseudoRandom } from '../../test/framework/pseudo-random.js';

const crypto = createNativeCrypto();
const COIN = { value: 1_000_000, script: Uint8Array.of(0, 20, ...new Uint8Array(20)), height: 1, coinbase: false };
const PASSED = { ok: true, failedTx: -1, failedInput: -1, scriptError: 0, stopped: false, checked: 1, jobs: 1, cpuMs: 0 };

function tallTip(): ModelNode {
  let tip = new ModelNode(null, 0, 1_600_000_000, [], 0, crypto);
  for (let height = 1; height < 20; height++) tip = new ModelNode(tip, height, 1_600_000_000 + height, [], 0, crypto);
  return tip;
}

/** Creates a mempool that accepts every well-formed transaction. */
export function createBenchPool(options: Partial<MempoolOptions> = {}): Mempool {
  const chain: MempoolChain = {
    tip: tallTip(),
    coins: { prefetch: async () => {}, isKnown: () => true, get: () => COIN },
    nextBlockFlags: () => 0,
  };
  const verifier = { size: 1, verifyTxs: async () => PASSED, canAcceptWork: () => true, stats: () => ({}) as never, close: async () => {} };
  const clock = { nowSeconds: () => 1_600_000_000, nowMs: () => 0, monotonicMs: () => performance.now() };
  return new Mempool({ maxUsageBytes: 1e9, ...options }, { chain, verifier, clock, log: silentLogger });
}

/** Makes typical payments: each input has a signature and a key, and the outputs pay to a recipient and to change. */
export class Payments {
  readonly #random: () => number;
  readonly #below = (n: number): number => Math.floor(this.#random() * n);
  readonly #bytes = (n: number): Uint8Array => Uint8Array.from({ length: n }, () => this.#below(256));

  constructor(seed: number) {
    this.#random = pseudoRandom(seed);
  }

  /**
   * Returns the next payment.
   * @param parent txid of the transaction whose first output the payment spends; null: it spends coins of the chain
   * @param extraFee satoshis in addition to a random fee of 1,000 to 21,000
   */
  next(parent: Uint8Array | null = null, extraFee = 0): TxView {
    const inputs = Array.from({ length: parent === null && this.#below(4) === 0 ? 2 : 1 }, () => ({
      prevHash: parent ?? this.#bytes(32),
      prevIndex: 0,
      scriptSig: new Uint8Array(0),
      sequence: 0xfffffffd,
      witness: [this.#bytes(71), this.#bytes(33)],
    }));
    const total = (parent === null ? 1_000_000 * inputs.length : 500_000) - 1_000 - this.#below(20_000) - extraFee;
    const first = parent === null ? 500_000 : 200_000;
    return this.#build(inputs, first, total - first);
  }

  /** Returns a payment that spends the first input of another one and pays a higher fee. */
  rival(of: TxView, extraFee: number): TxView {
    const input = {
      prevHash: new Uint8Array(of.prevHash(0)),
      prevIndex: of.prevIndex(0),
      scriptSig: new Uint8Array(0),
      sequence: 0xfffffffd,
      witness: [this.#bytes(71), this.#bytes(33)],
    };
    return this.#build([input], 500_000, 400_000 - extraFee);
  }

  #build(inputs: Parameters<typeof buildTx>[0]['inputs'], first: number, second: number): TxView {
    const output = (value: number) => ({ value, script: Uint8Array.of(0, 20, ...this.#bytes(20)) });
    return parseTx(buildTx({ version: 2, inputs, outputs: [output(first), output(second)], locktime: 0 }), crypto);
  }
}

/** Fills a mempool. Every fifth transaction spends an earlier one. @returns bytes of all transactions */
export async function fillPool(pool: Mempool, payments: Payments, count: number): Promise<number> {
  let txBytes = 0;
  let parent: Uint8Array | null = null;
  for (let i = 0; i < count; i++) {
    const tx = payments.next(i % 5 === 4 ? parent : null);
    const { reject } = await pool.accept(tx);
    if (reject !== null) throw new Error(`refused: ${reject.reason} ${reject.debug}`);
    txBytes += tx.totalSize;
    parent = new Uint8Array(tx.txid);
  }
  return txBytes;
}

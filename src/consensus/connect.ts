// The part of Core's ConnectBlock that only needs the block, its place and the coins: everything except running
// scripts. For connecting blocks and for checking proposals and templates. It changes nothing; the caller applies the
// result. Scripts run elsewhere in parallel: `spentByTx` says what to run, and rules/script-verdict.ts whose failure
// counts. Debug texts are Core 0.21's, which has none for most rules.

import type { BlockView } from './block/block-view.js';
import { hashKey } from './bytes/hex.js';
import { KeyTable } from './bytes/key-table.js';
import { readU32 } from './bytes/reader.js';
import { type Coin, type CoinView, isUnspendableOutput } from './coin.js';
import type { HeaderContext } from './header-context.js';
import { MAX_BLOCK_SIGOPS_COST, moneyRange } from './limits.js';
import type { ChainParams } from './params/chain-params.js';
import { enforceBip30 } from './rules/bip30.js';
import { checkSpentCoins, missingInputs } from './rules/check-inputs.js';
import { outputTotal } from './rules/check-transaction.js';
import { cleanupEnforced } from './rules/cleanup/enforced.js';
import { checkLegacyInputSigops } from './rules/cleanup/legacy-sigops.js';
import { hasRelativeLock, sequenceLocks, sequenceLocksMet } from './rules/locks.js';
import { reject } from './rules/reject.js';
import { blockSubsidy } from './rules/subsidy.js';
import { VersionBitsCache } from './rules/versionbits.js';
import { SCRIPT_VERIFY_P2SH, SCRIPT_VERIFY_WITNESS } from './script/flags.js';
import { sigopCost } from './script/sigops.js';
import type { Verdict } from './state.js';
import type { TxView } from './tx/tx-view.js';

const WHOLE_COST_FLAGS = SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS;

/** Result of connecting a block. */
export interface ConnectResult {
  verdict: Verdict;
  /** Fees in satoshis of the transactions so far; of all if the block is valid. */
  fees: number;
  /** Signature operation cost (BIP-0141) of the transactions so far. */
  sigopCost: number;
  /** Spent coins by transaction, one per input; empty for the coinbase. Its length is scriptTxs. */
  spentByTx: Coin[][];
  /** Number of transactions whose scripts are to be run: all, or those before the one that failed. */
  scriptTxs: number;
}

/** Options of connecting. */
export interface ConnectOptions {
  /** Flags from blockScriptFlags; they decide which signature operations count. */
  flags: number;
  /** States of deployments already known in the header tree. */
  versionBits?: VersionBitsCache;
  /** Positions of this block's transactions, if the caller has them. */
  places?: TxPlaces;
}

/**
 * Connects a block that passed checkBlock and contextualCheckBlock to `prev`, without scripts.
 * @param coins unspent outputs after `prev`; only the outpoints of blockOutpoints are looked up
 */
export function connectBlock(
  block: BlockView,
  prev: HeaderContext,
  params: ChainParams,
  coins: CoinView,
  opts: ConnectOptions,
): ConnectResult {
  const connector = new BlockConnector(block, prev, params, coins, opts);
  const overwriting = enforceBip30(prev, block.hash, params) && overwrites(block, coins);
  connector.applyBip30(overwriting) ?? connector.step(block.txs.length) ?? connector.finish();
  return connector;
}

/**
 * connectBlock in steps, so that scripts of the first transactions run while later ones are checked, and a long block
 * does not block its thread. Call applyBip30, then step until all transactions are done, then finish. Stop at the first
 * verdict, which is also in `verdict`. Results up to that point stay readable.
 */
export class BlockConnector implements ConnectResult {
  verdict: Verdict = null;
  fees = 0;
  sigopCost = 0;
  readonly spentByTx: Coin[][] = [];
  /** Height of the block. */
  readonly height: number;
  readonly block: BlockView;
  readonly #prev: HeaderContext;
  readonly #params: ChainParams;
  readonly #coins: CoinView;
  readonly #flags: number;
  readonly #locksApply: boolean;
  /** Signature operations of P2SH and of witnesses count. */
  readonly #wholeCost: boolean;
  /** BIP-0054 is active. */
  readonly #cleanup: boolean;
  readonly #places: TxPlaces;
  // Outpoints spent so far in this block.
  readonly #used: KeyTable;
  // Coins of the transaction that is being checked, for its first inputs. Its index in the block is `scriptTxs`.
  #collected: Coin[] = [];

  constructor(block: BlockView, prev: HeaderContext, params: ChainParams, coins: CoinView, opts: ConnectOptions) {
    this.block = block;
    this.#prev = prev;
    this.#params = params;
    this.#coins = coins;
    this.#flags = opts.flags;
    this.#wholeCost = (opts.flags & WHOLE_COST_FLAGS) === WHOLE_COST_FLAGS;
    this.#places = opts.places ?? new TxPlaces(block);
    this.#used = new KeyTable(36, inputCount(block));
    this.height = prev.height + 1;
    this.#locksApply = this.height >= params.csvHeight;
    this.#cleanup = cleanupEnforced(prev, params, opts.versionBits ?? new VersionBitsCache());
  }

  get scriptTxs(): number {
    return this.spentByTx.length;
  }

  /**
   * Applies the result of BIP-0030: no output of the block may be an unspent coin already.
   * @param overwrites whether there is such an output and the rule is enforced
   */
  applyBip30(overwrites: boolean): Verdict {
    if (overwrites) this.verdict = reject('consensus', 'bad-txns-BIP30');
    return this.verdict;
  }

  /**
   * Processes transactions up to, not including, `end`, and `inputs` inputs of that one, because a single transaction
   * may fill a block.
   */
  step(end: number, inputs = 0): Verdict {
    while (this.verdict === null && this.scriptTxs < end) this.verdict = this.#transaction(this.scriptTxs);
    if (this.verdict === null && inputs > 0) this.verdict = forGood(this.#collectCoins(this.block.txs[end], inputs));
    return this.verdict;
  }

  /** Checks the coinbase's amount against subsidy and fees, after all transactions. */
  finish(): Verdict {
    const limit = this.fees + blockSubsidy(this.height, this.#params);
    if (this.verdict === null && outputTotal(this.block.txs[0]) > limit) this.verdict = reject('consensus', 'bad-cb-amount');
    return this.verdict;
  }

  /** Checks transaction i and applies its effects on later transactions. */
  #transaction(i: number): Verdict {
    const tx = this.block.txs[i];
    const verdict = i === 0 ? null : forGood(this.#inputs(tx));
    if (verdict !== null) return verdict;
    const coins = this.#collected;
    this.#collected = [];
    this.sigopCost += this.#wholeCost && tx.facts !== null ? tx.facts.sigopCost : sigopCost(tx, coins, this.#flags);
    if (this.sigopCost > MAX_BLOCK_SIGOPS_COST) return reject('consensus', 'bad-blk-sigops');
    this.spentByTx.push(coins);
    return null;
  }

  /** Collects the coins of a transaction's first inputs. */
  #collectCoins(tx: TxView, inputs: number): Verdict {
    const coins = this.#collected;
    for (let k = coins.length; k < inputs; k++) {
      const coin = this.#spendCoin(tx, k);
      if (coin === undefined) return missingInputs();
      coins.push(coin);
    }
    return null;
  }

  #inputs(tx: TxView): Verdict {
    const missing = this.#collectCoins(tx, tx.inputCount);
    if (missing !== null) return missing;
    const coins = this.#collected;
    const sigops = this.#cleanup ? checkLegacyInputSigops(tx, coins) : null;
    if (sigops !== null) return sigops;
    const { verdict, fee } = checkSpentCoins(tx, coins, this.height);
    if (verdict !== null) return verdict;
    this.fees += fee;
    if (!moneyRange(this.fees)) {
      return reject('consensus', 'bad-txns-accumulated-fee-outofrange');
    }
    if (this.#locksApply && hasRelativeLock(tx)) {
      const heights = coins.map((coin) => coin.height);
      if (!sequenceLocksMet(sequenceLocks(tx, heights, this.#prev), this.#prev)) return reject('consensus', 'bad-txns-nonfinal');
    }
    return null;
  }

  /** Spends the output of input k: of an earlier transaction of this block, otherwise a coin. */
  #spendCoin(tx: TxView, k: number): Coin | undefined {
    const bytes = tx.buffer;
    const at = tx.outpointAt(k);
    // A missing output makes the block invalid.
    if (!this.#used.add(bytes, at, 0)) return undefined;
    const source = this.#places.before(this.scriptTxs, bytes, at);
    if (source !== undefined) return this.#created(source, readU32(bytes, at + 32));
    const coins = this.#coins;
    return coins.getAt === undefined ? coins.get(tx.outpoint(k)) : coins.getAt(bytes, at);
  }

  #created(source: number, output: number): Coin | undefined {
    const tx = this.block.txs[source];
    if (output >= tx.outputCount || isUnspendableOutput(tx, output)) return undefined;
    return { value: tx.outputValue(output), script: tx.outputScript(output), height: this.height, coinbase: source === 0 };
  }
}

/**
 * Positions of a block's transactions by id; the first one if an id repeats. Ids are hashes, so they are only computed
 * as far as needed.
 */
export class TxPlaces {
  readonly #txs: readonly TxView[];
  readonly #table: KeyTable;
  /** Transactions before this one are in the table. */
  #end = 0;

  constructor({ txs }: BlockView) {
    this.#txs = txs;
    this.#table = new KeyTable(32, txs.length);
  }

  /** Returns the position of the transaction with the id at bytes[at], if it is before transaction `end`. */
  before(end: number, bytes: Uint8Array, at: number): number | undefined {
    for (; this.#end < end; this.#end++) this.#table.add(this.#txs[this.#end].txid, 0, this.#end);
    const place = this.#table.get(bytes, at);
    return place !== undefined && place < end ? place : undefined;
  }
}

/** Returns the number of inputs of all transactions, including the coinbase's. */
function inputCount({ txs }: BlockView): number {
  let count = 0;
  for (const tx of txs) count += tx.inputCount;
  return count;
}

/** Returns whether an output of the block is an unspent coin already. */
function overwrites(block: BlockView, coins: CoinView): boolean {
  return block.txs.some((tx) => {
    for (let i = 0; i < tx.outputCount; i++) if (coins.get(outpointOf(tx, i)) !== undefined) return true;
    return false;
  });
}

/** Makes a verdict final: a fault that may be temporary for a single transaction breaks a rule for good in a block. */
function forGood(verdict: Verdict): Verdict {
  return verdict === null ? null : { ...verdict, category: 'consensus' };
}

/** Returns the outpoint of an output: 36 bytes. */
export function outpointOf(tx: TxView, output: number): Uint8Array {
  const outpoint = new Uint8Array(36);
  outpoint.set(tx.txid);
  outpoint[32] = output;
  outpoint[33] = output >>> 8;
  outpoint[34] = output >>> 16;
  outpoint[35] = output >>> 24;
  return outpoint;
}

/**
 * Returns the outpoints whose coins connectBlock may look up, so that they can be prefetched: inputs that the block
 * itself does not create, and all outputs if BIP-0030 is enforced.
 */
export function blockOutpoints(block: BlockView, prev: HeaderContext, params: ChainParams): Uint8Array[] {
  const list: Uint8Array[] = [];
  const own = new Set<string>();
  for (let i = 0; i < block.txs.length; i++) {
    const tx = block.txs[i];
    if (i > 0) {
      for (let k = 0; k < tx.inputCount; k++) {
        if (!own.has(hashKey(tx.prevHash(k)))) list.push(tx.outpoint(k));
      }
    }
    own.add(hashKey(tx.txid));
  }
  if (enforceBip30(prev, block.hash, params)) {
    for (const tx of block.txs) for (let i = 0; i < tx.outputCount; i++) list.push(outpointOf(tx, i));
  }
  return list;
}

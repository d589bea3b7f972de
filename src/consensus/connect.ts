// The part of Core's ConnectBlock that only needs the block, its position in the chain and the coins: everything except
// running scripts. Used for connecting blocks and for checking proposals and templates. It changes no coins; the caller
// applies the result. Scripts run elsewhere in parallel: `spentByTx` has the coins that they need, and
// rules/script-verdict.ts decides which failure determines the verdict. Debug texts are Core 0.21's, which has none for
// most rules.

import type { BlockView } from './block/block-view.js';
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

export interface ConnectResult {
  verdict: Verdict;
  /** Fees in satoshis of the transactions checked so far; of all transactions if the block is valid. */
  fees: number;
  /** Signature operation cost (BIP-0141) of the transactions checked so far. */
  sigopCost: number;
  /**
   * Spent coins of each transaction, one coin per input; empty for the coinbase. The length of the list is scriptTxs.
   */
  spentByTx: Coin[][];
  /** Number of transactions whose scripts must run: all, or those before the transaction that failed. */
  scriptTxs: number;
}

export interface ConnectOptions {
  /** Flags from blockScriptFlags; they decide which signature operations count. */
  flags: number;
  /** Cached states of deployments in this header tree. */
  versionBits?: VersionBitsCache;
  /** Positions of this block's transactions, if the caller has them. */
  places?: TxPlaces;
}

/**
 * Connects a block that passed checkBlock and contextualCheckBlock as the child of `prev`, without scripts.
 * @param coins unspent outputs after `prev`; only those of spent outputs are looked up, and with BIP-0030 those of its own outputs
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
 * Does the work of connectBlock in steps, so that scripts of the first transactions run while later ones are checked,
 * and a long block does not occupy its thread. Call applyBip30, then `step` until all transactions are done, then
 * `finish`. Stop as soon as one of them returns a reject; the field `verdict` has it too. Results up to that
 * transaction stay valid.
 */
export class BlockConnector implements ConnectResult {
  verdict: Verdict = null;
  fees = 0;
  sigopCost = 0;
  readonly spentByTx: Coin[][] = [];
  readonly height: number;
  readonly block: BlockView;
  readonly #prev: HeaderContext;
  readonly #params: ChainParams;
  readonly #coins: CoinView;
  readonly #flags: number;
  readonly #locksApply: boolean;
  /** True if signature operations in P2SH redeem scripts and in witnesses count. */
  readonly #wholeCost: boolean;
  /** True if BIP-0054 is active. */
  readonly #cleanup: boolean;
  readonly #places: TxPlaces;
  // Outpoints spent so far in this block.
  readonly #used: KeyTable;
  // Coins of the first inputs of the transaction that is being checked. The index of this transaction in the block is
  // `scriptTxs`.
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
   * Applies the result of BIP-0030: a block must not create an output that exists as an unspent coin already.
   * @param overwrites true if there is such an output and the rule is enforced
   */
  applyBip30(overwrites: boolean): Verdict {
    if (overwrites) this.verdict = reject('consensus', 'bad-txns-BIP30');
    return this.verdict;
  }

  /**
   * Checks the transactions before index `end`, and then the first `inputs` inputs of transaction `end`, because a
   * single transaction may be as large as a block.
   */
  step(end: number, inputs = 0): Verdict {
    while (this.verdict === null && this.scriptTxs < end) this.verdict = this.#transaction(this.scriptTxs);
    if (this.verdict === null) this.verdict = forGood(this.#collectCoins(this.block.txs[end], inputs));
    return this.verdict;
  }

  /** Checks the coinbase's amount against subsidy and fees. Must be called after all transactions were checked. */
  finish(): Verdict {
    const limit = this.fees + blockSubsidy(this.height, this.#params);
    if (this.verdict === null && outputTotal(this.block.txs[0]) > limit) this.verdict = reject('consensus', 'bad-cb-amount');
    return this.verdict;
  }

  /** Checks transaction i and adds its costs and spent coins to the results. */
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

  /**
   * Returns the coin that input k spends: an output of an earlier transaction of this block, otherwise a coin of the
   * view. Undefined if there is none, or if the block has spent it before.
   */
  #spendCoin(tx: TxView, k: number): Coin | undefined {
    const bytes = tx.buffer;
    const at = tx.outpointAt(k);
    // The outpoint was spent before in this block, so for this input it is missing.
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
 * Positions of a block's transactions by txid; the first position if a txid repeats. Txids are hashes, so they are
 * computed only up to the position that is needed.
 */
export class TxPlaces {
  readonly #txs: readonly TxView[];
  readonly #table: KeyTable;
  /** All transactions before this index are in the table. */
  #end = 0;

  constructor({ txs }: BlockView) {
    this.#txs = txs;
    this.#table = new KeyTable(32, txs.length);
  }

  /**
   * Returns the position of the transaction with the txid at bytes[at], if that position is before `end`; otherwise
   * undefined.
   */
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

/** Returns whether an output of the block exists as an unspent coin already. */
function overwrites(block: BlockView, coins: CoinView): boolean {
  return block.txs.some((tx) => {
    for (let i = 0; i < tx.outputCount; i++) if (coins.get(outpointOf(tx, i)) !== undefined) return true;
    return false;
  });
}

/**
 * Returns a verdict with category 'consensus'. A fault that may be temporary for a transaction in the mempool is
 * permanent in a block.
 */
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

// The part of ConnectBlock that needs nothing but the block, its place and the coins: everything except running
// scripts. The chain connects with it, proposals and own templates are tried with it. It changes nothing: the caller
// applies the result. Scripts run elsewhere in parallel; `spentByTx` says what to run, rules/script-verdict.ts whose
// failure counts. Debug texts are Core 0.21's, which has none for most of these.

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

/** What connecting a block found. */
export interface ConnectResult {
  verdict: Verdict;
  /** Satoshi over the transactions so far; all of them when valid. */
  fees: number;
  /** BIP-0141 cost over the transactions so far. */
  sigopCost: number;
  /** Coins per transaction, one per input; empty for the coinbase. As long as scriptTxs. */
  spentByTx: Coin[][];
  /** Transactions before this index reached the script stage: all of them, or those before the one that failed. */
  scriptTxs: number;
}

/** What connecting needs besides the block. */
export interface ConnectOptions {
  /** From blockScriptFlags; decides which sigops count. */
  flags: number;
  /** States of deployments already known in the header tree. */
  versionBits?: VersionBitsCache;
  /** Of this block; for a caller that asks them too. */
  places?: TxPlaces;
}

/**
 * Connects a block that passed checkBlock and contextualCheckBlock to `prev`, without scripts.
 * @param coins the unspent outputs after `prev`; asked for the outpoints that blockOutpoints lists, and no others
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
 * connectBlock in steps, so that scripts of the first transactions run while the later ones are looked at, and a long
 * block does not hold its thread. Call begin, then step until all transactions are done, then finish; stop at the first
 * verdict, which also stays in `verdict`. What was found up to there remains readable.
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
  /** Sigops of P2SH and of witnesses count. */
  readonly #wholeCost: boolean;
  /** BIP-0054 holds. */
  readonly #cleanup: boolean;
  readonly #places: TxPlaces;
  // Outpoints spent so far in this block.
  readonly #used: KeyTable;
  // Coins of the first inputs of transaction `scriptTxs`.
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
   * BIP-0030: no output of the block may be an unspent coin already, where that is enforced.
   * @param overwrites whether there is such an output and it is enforced
   */
  applyBip30(overwrites: boolean): Verdict {
    if (overwrites) this.verdict = reject('consensus', 'bad-txns-BIP30');
    return this.verdict;
  }

  /**
   * Goes on up to, not including, transaction `end`, and up to so many inputs of that one: a single transaction may
   * fill a block.
   */
  step(end: number, inputs = 0): Verdict {
    while (this.verdict === null && this.scriptTxs < end) this.verdict = this.#transaction(this.scriptTxs);
    if (this.verdict === null && inputs > 0) this.verdict = forGood(this.#collectCoins(this.block.txs[end], inputs));
    return this.verdict;
  }

  /** After all transactions: the coinbase may take subsidy and fees. */
  finish(): Verdict {
    const limit = this.fees + blockSubsidy(this.height, this.#params);
    if (this.verdict === null && outputTotal(this.block.txs[0]) > limit) this.verdict = reject('consensus', 'bad-cb-amount');
    return this.verdict;
  }

  /** Rules of transaction i, and its effects on the transactions after it. */
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

  /** Takes the coins of a transaction's first inputs. */
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

  /** Spends what input k names: of an earlier transaction of this block, else of the coins before it. */
  #spendCoin(tx: TxView, k: number): Coin | undefined {
    const bytes = tx.buffer;
    const at = tx.outpointAt(k);
    // What is asked for and not there ends the block.
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
 * Place of each transaction of a block by its id; the first of those with the same one. Ids are hashes, so they are
 * made as far as they are asked for.
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

  /** The place of the transaction with the id at bytes[at], if it stands before transaction `end`. */
  before(end: number, bytes: Uint8Array, at: number): number | undefined {
    for (; this.#end < end; this.#end++) this.#table.add(this.#txs[this.#end].txid, 0, this.#end);
    const place = this.#table.get(bytes, at);
    return place !== undefined && place < end ? place : undefined;
  }
}

/** Inputs of all transactions, the coinbase's included. */
function inputCount({ txs }: BlockView): number {
  let count = 0;
  for (const tx of txs) count += tx.inputCount;
  return count;
}

/** Whether an output of the block is an unspent coin already. */
function overwrites(block: BlockView, coins: CoinView): boolean {
  return block.txs.some((tx) => {
    for (let i = 0; i < tx.outputCount; i++) if (coins.get(outpointOf(tx, i)) !== undefined) return true;
    return false;
  });
}

/** What is a matter of circumstances for a loose transaction breaks a rule for good in a block. */
function forGood(verdict: Verdict): Verdict {
  return verdict === null ? null : { ...verdict, category: 'consensus' };
}

/** The 36 bytes that name an output of a transaction. */
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
 * The outpoints connectBlock may ask coins for, so that they can be fetched ahead: inputs not created by the block
 * itself, and all outputs where BIP-0030 is enforced.
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

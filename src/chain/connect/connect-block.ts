// Checks a block against the coins (Core's ConnectBlock) and changes nothing. It is a pipeline over runs of
// transactions: at the same time, script threads check one run, this thread checks the next one, and the coins of the
// run after that are being read.

import type { BlockView } from '../../consensus/block/block-view.js';
import type { Coin, CoinView } from '../../consensus/coin.js';
import { BlockConnector, TxPlaces } from '../../consensus/connect.js';
import { canRepeat, enforceBip30 } from '../../consensus/rules/bip30.js';
import { blockScriptFlags } from '../../consensus/rules/block-script-flags.js';
import { missingInputs } from '../../consensus/rules/check-inputs.js';
import type { ScriptWording } from '../../consensus/rules/script-verdict.js';
import type { Verdict } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { StopFlag } from '../../parallel/stop-flag.js';
import type { VerifyClass } from '../../parallel/verifier.js';
import { OUTPOINT_BYTES } from '../../storage/layout.js';
import type { CoinsCache } from '../coins/coins-cache.js';
import type { ChainOptions } from '../options.js';
import type { HeaderNode } from '../tree/header-node.js';
import { type CoinsOverlay, outpointsCreated } from './coins-overlay.js';
import { ScriptRuns } from './script-runs.js';
import type { ChainWorkspace } from './workspace.js';

/** Number of inputs per run: enough for a few jobs of the verifier, and few enough that this thread yields often. */
const RUN_INPUTS = 1_000;
/** Number of inputs in the first run, which is smaller so that script threads get work early. */
const FIRST_RUN_INPUTS = 250;
/**
 * A block counts as known to the mempool if, besides the coinbase, at most one in this many transactions is unknown.
 */
const MOST_UNKNOWN = 16;
/** Number of outputs checked at a time. */
const CREATED_OUTPOINTS = 2_000;
/** Result of connecting a block. */
export interface Connection {
  readonly verdict: Verdict;
  /** Coins spent per transaction after the coinbase. */
  readonly spent: Coin[][];
  /** Transaction fees in satoshis. */
  readonly fees: number;
}

/** Options of connecting a block. */
export interface ConnectSettings {
  readonly klass: VerifyClass;
  /** Run scripts; false under an assumed-valid block. */
  readonly scripts: boolean;
  /** Coins as changed by earlier blocks of the step, on top of the cache; null at the tip. */
  readonly overlay: CoinsOverlay | null;
  /** Called each time before coins are read after a wait. False cancels, because the tip has changed. */
  readonly stillValid?: () => boolean;
  /** Stops the block's scripts early. Connecting then fails with an error. */
  readonly stop?: StopFlag;
  /**
   * Resolves when other threads have computed the block's ids. Until then, only the ids of the first run are computed
   * on this thread.
   */
  readonly identified?: Promise<void> | undefined;
}

/**
 * Connects a block that passed checkBlock and contextualCheckBlock onto prev.
 * @returns null if stillValid returned false
 */
export async function tryConnect(
  ws: ChainWorkspace,
  block: BlockView,
  prev: HeaderNode,
  settings: ConnectSettings,
): Promise<Connection | null> {
  if (settings.overlay === null && isPooled(block)) {
    const connection = await connect(ws, block, prev, settings, 'pooled');
    // A coin that is not in memory may still be in the database. Repeat with reads from the database before it counts
    // as missing.
    if (connection?.verdict?.reason !== missingInputs()?.reason) return connection;
  }
  return connect(ws, block, prev, settings, 'unknown');
}

/**
 * Returns whether the mempool knew nearly all transactions of a block. If one of their coins turns out not to be in
 * memory, the other transactions' scripts run twice.
 */
function isPooled({ txs }: BlockView): boolean {
  const unknown = txs.reduce((count, { facts }) => (facts === null ? count + 1 : count), 0);
  return unknown - 1 <= txs.length / MOST_UNKNOWN && unknown < txs.length;
}

/** Loads all coins that a block spends into memory, so that connecting the block can change them. */
export async function readSpentCoins({ coins }: ChainWorkspace, block: BlockView): Promise<void> {
  const runs = new RunCoins(block, new TxPlaces(block), coins, null, 'unknown');
  const turns = new TimeSlice('chain');
  while (runs.end < block.txs.length) {
    await coins.prefetch(runs.next(RUN_INPUTS));
    if (turns.over) await turns.next();
  }
}

/** Coins that are assumed to be in memory: none, or those of transactions known from the mempool. */
type InMemory = 'unknown' | 'pooled';

async function connect(
  ws: ChainWorkspace,
  block: BlockView,
  prev: HeaderNode,
  settings: ConnectSettings,
  inMemory: InMemory,
): Promise<Connection | null> {
  const { coins, clock, observe } = ws;
  const { klass, overlay, stillValid, stop, identified } = settings;
  const flags = blockScriptFlags(prev, block.hash, ws.params, ws.versionBits);
  const places = new TxPlaces(block);
  const runs = new RunCoins(block, places, coins, overlay, inMemory);
  const connector = new BlockConnector(block, prev, ws.params, runs, { flags, versionBits: ws.versionBits, places });
  const scripts = new ScriptRuns(ws.verifier, { flags, klass, wording: wordingOf(ws.options) }, ws.log, stop);
  const phases = { gather: 0, check: 0, scripts: 0 };
  let mark = clock.monotonicMs();
  const lap = (phase: keyof typeof phases): void => {
    const now = clock.monotonicMs();
    phases[phase] += now - mark;
    mark = now;
  };
  try {
    // Call stillValid in the tick in which coins are looked up, here and below.
    if (stillValid !== undefined && !stillValid()) return null;
    let fetching: Promise<void> = coins.prefetch(runs.next(FIRST_RUN_INPUTS));
    // A violation of BIP-0030 takes precedence over other faults. Its many lookups, which usually find nothing, need
    // not delay the other checks: their result is applied at the end.
    const enforced = enforceBip30(prev, block.hash, ws.params);
    const checksTwinsEarly = enforced && canRepeat(ws.params);
    const twins = checksTwinsEarly ? overwrites(ws, block, settings) : Promise.resolve(false);
    twins.catch(() => undefined);
    const turns = new TimeSlice('chain');
    for (let first = 0; first < block.txs.length; ) {
      await fetching;
      if (turns.over) await turns.next();
      lap('gather');
      if (stillValid !== undefined && !stillValid()) return null;
      const { end, endInputs } = runs;
      // Nothing awaits this read here: the next iteration does, or in the last one the statement after the loop.
      const fetchNext = (): void => {
        fetching = end < block.txs.length ? coins.prefetch(runs.next(RUN_INPUTS)) : Promise.resolve();
        fetching.catch(() => undefined);
      };
      // Read the next run's coins while this run is checked. Not for the first run, because script threads are waiting
      // for it.
      if (first > 0) fetchNext();
      const verdict = connector.step(end, endInputs);
      lap('check');
      if (settings.scripts) scripts.start(connector, first, connector.scriptTxs);
      if (verdict !== null) break;
      if (first === 0) {
        if (identified !== undefined) await identified;
        fetchNext();
      }
      first = end;
    }
    await fetching;
    // If no valid block can overwrite a coin, check BIP-0030 only for blocks that are rejected anyway, because Core
    // reports BIP-0030 as the reason.
    const isLate = enforced && !checksTwinsEarly && connector.verdict !== null;
    const overwriting = await (isLate ? overwrites(ws, block, settings) : twins);
    lap('gather');
    if (overwriting === null || (stillValid !== undefined && !stillValid())) return null;
    connector.finish();
    const found = connector.verdict;
    if (connector.applyBip30(overwriting) !== found) return { verdict: connector.verdict, spent: [], fees: 0 };
    lap('check');
    const verdict = await scripts.verdict(connector);
    lap('scripts');
    return { verdict, spent: connector.spentByTx.slice(1), fees: connector.fees };
  } finally {
    // All script jobs must end before this function returns.
    await scripts.stopScripts();
    if (klass === 'block') for (const [phase, ms] of Object.entries(phases)) observe(`connect_${phase}`, ms / 1000);
  }
}

/**
 * Returns whether an output of the block already exists as an unspent coin (BIP-0030), working in time slices. Null if
 * stillValid returned false.
 */
async function overwrites(
  { coins }: ChainWorkspace,
  block: BlockView,
  { overlay, stillValid }: Pick<ConnectSettings, 'overlay' | 'stillValid'>,
): Promise<boolean | null> {
  const turns = new TimeSlice('chain');
  for (const outpoints of outpointsCreated(block, CREATED_OUTPOINTS)) {
    const below = overlay === null ? outpoints : outpoints.filter((outpoint) => !overlay.has(outpoint));
    await coins.prefetch(below);
    if (stillValid !== undefined && !stillValid()) return null;
    if (below.some((outpoint) => coins.get(outpoint) !== undefined)) return true;
    if (overlay !== null && outpoints.some((outpoint) => overlay.has(outpoint) && overlay.get(outpoint) !== undefined)) return true;
    if (turns.over) await turns.next();
  }
  return false;
}

/**
 * Looks up the coins that a block spends, run by run. Coins in memory are looked up once; `next` returns the outpoints
 * of the others, which must be read.
 */
class RunCoins implements CoinView {
  /** Number of transactions whose inputs were looked up completely. */
  end = 0;
  /** Number of inputs of the next transaction that were looked up. */
  endInputs = 0;
  /** Coins that were looked up and not returned yet, with the position of their outpoint; null: not in memory. */
  readonly #found: { readonly bytes: Uint8Array; readonly at: number; readonly coin: Coin | undefined | null }[] = [];
  /** Number of entries of #found that `get` has returned. */
  #asked = 0;
  readonly #places: TxPlaces;
  readonly #block: BlockView;
  readonly #coins: CoinsCache;
  readonly #overlay: CoinsOverlay | null;
  readonly #inMemory: InMemory;

  /**
   * Creates a view of the block's coins.
   * @param inMemory coins assumed to be in memory; they are looked up only when needed
   */
  constructor(block: BlockView, places: TxPlaces, coins: CoinsCache, overlay: CoinsOverlay | null, inMemory: InMemory) {
    this.#places = places;
    this.#block = block;
    this.#coins = coins;
    this.#overlay = overlay;
    this.#inMemory = inMemory;
  }

  /**
   * Returns the outpoints to read for the next run: inputs that no earlier transaction creates and that are not in
   * memory.
   */
  next(most: number): Uint8Array[] {
    const { txs } = this.#block;
    const list: Uint8Array[] = [];
    for (let left = most; this.end < txs.length && left > 0; ) {
      const tx = txs[this.end] as TxView;
      const inputs = this.end === 0 ? 0 : tx.inputCount;
      const first = this.endInputs;
      const last = Math.min(inputs, first + left);
      const known = this.#inMemory === 'pooled' && tx.facts !== null;
      for (let i = first; i < last && !known; i++) {
        const at = tx.outpointAt(i);
        if (this.#places.before(this.end, tx.buffer, at) !== undefined) continue;
        const coin = this.#lookUp(tx.buffer, at);
        this.#found.push({ bytes: tx.buffer, at, coin });
        if (coin === null) list.push(tx.outpoint(i));
      }
      left -= Math.max(1, last - first);
      this.endInputs = last;
      if (last < inputs) break;
      this.end++;
      this.endInputs = 0;
    }
    return list;
  }

  /** Looks up a coin in the overlay and the cache. Null: the coin must be read from the database. */
  #lookUp(bytes: Uint8Array, at: number): Coin | undefined | null {
    if (this.#overlay !== null) {
      const outpoint = bytes.subarray(at, at + OUTPOINT_BYTES);
      if (this.#overlay.has(outpoint)) return this.#overlay.get(outpoint);
    }
    return this.#coins.lookUp(bytes, at);
  }

  getAt(bytes: Uint8Array, at: number): Coin | undefined {
    const next = this.#found[this.#asked];
    if (next !== undefined && next.bytes === bytes && next.at === at) {
      this.#asked++;
      if (next.coin !== null) return next.coin;
    }
    if (this.#inMemory !== 'unknown') return this.#coins.touchIfKnown(bytes, at);
    return this.#overlay === null ? this.#coins.getAt(bytes, at) : this.#overlay.get(bytes.subarray(at, at + OUTPOINT_BYTES));
  }

  get(outpoint: Uint8Array): Coin | undefined {
    return this.getAt(outpoint, 0);
  }
}

const wordingOf = ({ plainScriptFaults, scriptThreads }: Pick<ChainOptions, 'plainScriptFaults' | 'scriptThreads'>): ScriptWording =>
  plainScriptFaults ? 'plain' : scriptThreads === 1 ? 'sequential' : 'parallel';

// Checks a block against the coins before it (Core's ConnectBlock) and changes nothing. A pipeline over runs of
// transactions: while one run's scripts are on the threads, the next run's coins are being read and the one between is
// looked at here.

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
import type { PrefetchedBlock } from './block-prefetcher.js';
import { type CoinsOverlay, outpointsCreated } from './coins-overlay.js';
import { ScriptRuns } from './script-runs.js';
import type { ChainWorkspace } from './workspace.js';

/** Inputs of one run: enough for a few jobs of the verifier, few enough that this thread yields often. */
const RUN_INPUTS = 1_000;
/** Inputs of the first run: threads get work soon. */
const FIRST_RUN_INPUTS = 250;
/** Of a block of the mempool's transactions, one in so many may be unknown beside the coinbase. */
const MOST_UNKNOWN = 16;
/** Outputs looked for at a time. */
const CREATED_OUTPOINTS = 2_000;
/** What connecting would do. */
export interface Connection {
  readonly verdict: Verdict;
  /** Coins spent per transaction after the coinbase. */
  readonly spent: Coin[][];
  /** Satoshi. */
  readonly fees: number;
}

/** Where and how to connect. */
export interface ConnectSettings {
  readonly klass: VerifyClass;
  /** Run scripts; false under an assumed-valid block. */
  readonly scripts: boolean;
  /** Coins as changed by steps before this one, on top of the cache; null at the tip. */
  readonly overlay: CoinsOverlay | null;
  /** Asked whenever coins are about to be read after waiting: false gives up (the tip moved meanwhile). */
  readonly stillValid?: () => boolean;
  /** What was done for this block before its turn. */
  readonly prefetched?: PrefetchedBlock | undefined;
  /** Ends its scripts early; connecting fails with an error then. */
  readonly stop?: StopFlag;
  /** Other threads are making its ids: only the first run has its own made here. */
  readonly identified?: Promise<void> | undefined;
}

/**
 * Connects a block that passed checkBlock and contextualCheckBlock onto prev.
 * @returns null when stillValid said no
 */
export async function tryConnect(
  ws: ChainWorkspace,
  block: BlockView,
  prev: HeaderNode,
  settings: ConnectSettings,
): Promise<Connection | null> {
  const { prefetched, overlay } = settings;
  const epoch = prefetched === undefined ? -1 : await prefetched.coinsRead;
  const inMemory = epoch === ws.coins.evictionEpoch ? 'all' : isPooled(block) ? 'pooled' : 'unknown';
  if (overlay === null && inMemory !== 'unknown') {
    const connection = await connect(ws, block, prev, settings, { inMemory, epoch });
    // What is not in memory may still be in the store, so it is not missing before that was asked.
    if (connection?.verdict?.reason !== missingInputs()?.reason) return connection;
  }
  return connect(ws, block, prev, settings, { inMemory: 'unknown', epoch: -1 });
}

/** Whether nearly all transactions are known; scripts of the others run twice when a coin is not in memory. */
function isPooled({ txs }: BlockView): boolean {
  const unknown = txs.reduce((count, { facts }) => (facts === null ? count + 1 : count), 0);
  return unknown - 1 <= txs.length / MOST_UNKNOWN && unknown < txs.length;
}

/** Makes known all coins that a block spends, so that its coins may be changed. */
export async function readSpentCoins({ coins }: ChainWorkspace, block: BlockView): Promise<void> {
  const runs = new RunCoins(block, new TxPlaces(block), coins, null, 'unknown');
  const turns = new TimeSlice();
  while (runs.end < block.txs.length) {
    await coins.prefetch(runs.next(RUN_INPUTS));
    if (turns.over) await turns.next();
  }
}

/** What is taken to be in memory of the coins that a block spends: those of transactions in the mempool, or all. */
type InMemory = 'unknown' | 'pooled' | 'all';

/** @param epoch of the cache's evictions in which all coins became known that the store has; -1 when they did not */
async function connect(
  ws: ChainWorkspace,
  block: BlockView,
  prev: HeaderNode,
  settings: ConnectSettings,
  { inMemory, epoch }: { readonly inMemory: InMemory; readonly epoch: number },
): Promise<Connection | null> {
  const { coins, clock, observe } = ws;
  const { klass, overlay, stillValid, prefetched, stop, identified } = settings;
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
    // Coins are looked up in the very turn in which this was asked: each time, here as below.
    if (stillValid !== undefined && !stillValid()) return null;
    let fetching: Promise<void> = coins.prefetch(runs.next(FIRST_RUN_INPUTS));
    // BIP-0030 comes first by rank. Its many look-ups, all in vain, need not hold up the rest: whatever they find
    // stands in the end.
    const enforced = enforceBip30(prev, block.hash, ws.params);
    const checksTwinsEarly = enforced && canRepeat(ws.params);
    const twins = checksTwinsEarly ? overwrites(ws, block, settings, epoch) : Promise.resolve(false);
    twins.catch(() => undefined);
    const turns = new TimeSlice();
    for (let first = 0; first < block.txs.length; ) {
      await fetching;
      if (turns.over) await turns.next();
      lap('gather');
      if (stillValid !== undefined && !stillValid()) return null;
      const { end, endInputs } = runs;
      // Awaited in the next round, or below when there is none.
      const fetchNext = (): void => {
        fetching = end < block.txs.length ? coins.prefetch(runs.next(RUN_INPUTS)) : Promise.resolve();
        fetching.catch(() => undefined);
      };
      // The next run's coins are on their way while this one is looked at; but for the first, for which threads wait.
      if (first > 0) fetchNext();
      const verdict = connector.step(end, endInputs);
      lap('check');
      if (settings.scripts && prefetched === undefined) scripts.start(connector, first, connector.scriptTxs);
      if (verdict !== null) break;
      if (first === 0) {
        if (identified !== undefined) await identified;
        fetchNext();
      }
      first = end;
    }
    await fetching;
    // Where no valid block has a twin, only one that is refused anyway is asked for it: Core names it by that rule.
    const isLate = enforced && !checksTwinsEarly && connector.verdict !== null;
    const overwriting = await (isLate ? overwrites(ws, block, settings, epoch) : twins);
    lap('gather');
    if (overwriting === null || (stillValid !== undefined && !stillValid())) return null;
    connector.finish();
    const found = connector.verdict;
    if (connector.applyBip30(overwriting) !== found) return { verdict: connector.verdict, spent: [], fees: 0 };
    lap('check');
    // Whatever went wrong ahead, the scripts that count run here, in their order.
    if (settings.scripts && prefetched !== undefined && !(await prefetched.scriptsPass)) scripts.start(connector, 0, connector.scriptTxs);
    const verdict = await scripts.verdict(connector);
    lap('scripts');
    return { verdict, spent: connector.spentByTx.slice(1), fees: connector.fees };
  } finally {
    // No job outlives its block, whatever happened.
    await scripts.stopScripts();
    if (klass === 'block') for (const [phase, ms] of Object.entries(phases)) observe(`connect_${phase}`, ms / 1000);
  }
}

/**
 * Whether an output of the block is an unspent coin already (BIP-0030). In turns: null when it is given up.
 * @param epoch of evictions in which the store was asked for its outputs; -1 when it was not
 */
async function overwrites(
  { coins }: ChainWorkspace,
  block: BlockView,
  { overlay, stillValid, prefetched }: Pick<ConnectSettings, 'overlay' | 'stillValid' | 'prefetched'>,
  epoch: number,
): Promise<boolean | null> {
  const lacking = epoch !== -1 && (await prefetched?.outputsLack) === true;
  const turns = new TimeSlice();
  for (const outpoints of outpointsCreated(block, CREATED_OUTPOINTS)) {
    const below = overlay === null ? outpoints : outpoints.filter((outpoint) => !overlay.has(outpoint));
    // What the store lacks is in memory or nowhere, while nothing was forgotten since.
    const inMemory = coins.holdsAll || (lacking && epoch === coins.evictionEpoch);
    if (!inMemory) await coins.prefetch(below);
    if (stillValid !== undefined && !stillValid()) return null;
    if (below.some((outpoint) => (inMemory ? coins.getIfKnown(outpoint) : coins.get(outpoint)) !== undefined)) return true;
    if (overlay !== null && outpoints.some((outpoint) => overlay.has(outpoint) && overlay.get(outpoint) !== undefined)) return true;
    if (turns.over) await turns.next();
  }
  return false;
}

/** The coins that a block spends, run by run: what is in memory is looked up once, what is not is to be read. */
class RunCoins implements CoinView {
  /** Transactions before this one were looked at, */
  end = 0;
  /** and so many inputs of this one. */
  endInputs = 0;
  /** Coins of inputs that were looked at and not asked for yet, with where the outpoint lies; null: not in memory. */
  readonly #found: { readonly bytes: Uint8Array; readonly at: number; readonly coin: Coin | undefined | null }[] = [];
  /** Those before this one were asked for. */
  #asked = 0;
  readonly #places: TxPlaces;
  readonly #block: BlockView;
  readonly #coins: CoinsCache;
  readonly #overlay: CoinsOverlay | null;
  readonly #inMemory: InMemory;

  /** @param inMemory is not looked up before it is asked for: runs are as long as ever */
  constructor(block: BlockView, places: TxPlaces, coins: CoinsCache, overlay: CoinsOverlay | null, inMemory: InMemory) {
    this.#places = places;
    this.#block = block;
    this.#coins = coins;
    this.#overlay = overlay;
    this.#inMemory = inMemory;
  }

  /** What is to be read for the next run: inputs that no earlier transaction creates and that are not in memory. */
  next(most: number): Uint8Array[] {
    const { txs } = this.#block;
    const list: Uint8Array[] = [];
    for (let left = most; this.end < txs.length && left > 0; ) {
      const tx = txs[this.end] as TxView;
      const inputs = this.end === 0 ? 0 : tx.inputCount;
      const first = this.endInputs;
      const last = Math.min(inputs, first + left);
      const known = this.#inMemory === 'all' || (this.#inMemory === 'pooled' && tx.facts !== null);
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

  /** Null: to be read. */
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

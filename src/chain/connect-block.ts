// Checks a block against the coins before it (Core's ConnectBlock) and changes nothing. Callers: activation, proposals, verifychain.

import type { BlockView } from '../consensus/block/block-view.js';
import { blockOutpoints, connectBlock } from '../consensus/connect.js';
import type { Coin, CoinView } from '../consensus/coin.js';
import { blockProof } from '../consensus/rules/bits.js';
import { blockScriptFlags } from '../consensus/rules/block-script-flags.js';
import type { Verdict } from '../consensus/state.js';
import type { TxJob, VerifyClass } from '../parallel/verifier.js';
import type { CoinsOverlay } from './coins-overlay.js';
import type { HeaderNode } from './header-node.js';
import { runScripts } from './script-verdict.js';
import type { ChainWorkspace } from './workspace.js';

/** A block is buried deeply enough below the best header for assumed scripts when mining the difference would take this long, seconds. */
const ASSUME_BURIED_SECONDS = 60 * 60 * 24 * 7 * 2;

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
  /** Asked when coins are in memory, right before they are read: false gives up (the tip moved meanwhile). */
  readonly stillValid?: () => boolean;
}

/**
 * Connects a block that passed checkBlock and contextualCheckBlock onto prev.
 * @returns null when stillValid said no
 */
export async function tryConnect(ws: ChainWorkspace, block: BlockView, prev: HeaderNode, settings: ConnectSettings): Promise<Connection | null> {
  const { params, coins, clock, observe } = ws;
  const start = clock.monotonicMs();
  const { overlay } = settings;
  const outpoints = blockOutpoints(block, prev, params);
  const wanted = overlay === null ? outpoints : outpoints.filter((outpoint) => !overlay.has(outpoint));
  await coins.prefetch(wanted);
  if (settings.stillValid !== undefined && !settings.stillValid()) return null;
  const fetched = clock.monotonicMs();
  const flags = blockScriptFlags(prev, block.hash, params, ws.versionBits);
  const view: CoinView = overlay ?? coins;
  const checked = connectBlock(block, prev, params, view, { flags });
  const jobs: TxJob[] = [];
  for (let i = 1; i < checked.scriptTxs; i++) {
    jobs.push({ tx: block.txs[i] as BlockView['txs'][number], spent: checked.spentByTx[i] as Coin[] });
  }
  const judged = clock.monotonicMs();
  const sequential = ws.options.scriptThreads === 1;
  const run = { flags, klass: settings.klass, sequential };
  const verdict = await runScripts(ws.verifier, checked, settings.scripts ? jobs : [], run);
  const done = clock.monotonicMs();
  if (settings.klass === 'block') {
    observe('connect_gather', (fetched - start) / 1000);
    observe('connect_check', (judged - fetched) / 1000);
    observe('connect_scripts', (done - judged) / 1000);
  }
  return { verdict, spent: checked.spentByTx.slice(1), fees: checked.fees };
}

/** Whether scripts of this block must run: not below an assumed-valid block of the best header chain that is buried deeply (-assumevalid). */
export function scriptsNeeded(ws: ChainWorkspace, node: HeaderNode, assumed: HeaderNode | undefined): boolean {
  if (assumed === undefined) return true;
  const best = ws.index.bestHeader;
  if (!assumed.descendsFrom(node) || !best.descendsFrom(node)) return true;
  if (best.chainWork < (ws.options.minimumChainWork ?? ws.params.minimumChainWork)) return true;
  // Time that mining from this block to the best header takes at the best header's difficulty.
  const work = best.chainWork - node.chainWork;
  const seconds = (work * BigInt(ws.params.powTargetSpacing)) / (blockProof(best.bits) || 1n);
  return seconds <= BigInt(ASSUME_BURIED_SECONDS);
}

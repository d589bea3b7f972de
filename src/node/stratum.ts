// Builds the Stratum V1 server of the node: serving thread, work for miners, and the blocks that they find (-stratum).
import type { Chain } from '../chain/index.js';
import { ConfigError, type StratumConfig } from '../config/index.js';
import type { ChainName } from '../consensus/params/chain-params.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Clock } from '../lib/clock.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import { SupervisedThread, timerAfter } from '../lib/supervised-thread.js';
import type { Logger } from '../log/logger.js';
import type { MempoolEntry } from '../mempool/index.js';
import { Provider } from '../mining/index.js';
import { RESERVED_SIGOPS } from '../selection/index.js';
import type { WorkerPage, WorkerQuery } from '../stratum/index.js';
import { StratumCounters, type StratumNews, type StratumThread, startStratum, type ToStratum } from '../stratum/serve/index.js';
import type { TemplateService } from '../template/index.js';
import { createFoundBlocks } from './found-blocks.js';
import type { StratumMeasures } from './stratum-metrics.js';
import { INTERVAL_MS, logListening, REFRESH_MS, STRATUM_NAME, shownAddresses, stratumThreadOptions } from './stratum-thread.js';
import type { Submissions } from './submissions.js';
import { WorkerDatabase } from './worker-database.js';

export interface StratumDeps {
  readonly network: ChainName;
  readonly maxWeight: number;
  readonly reservedWeight: number;
  /** -longpolldelta. */
  readonly longPollDeltaSats: number;
  readonly chain: Chain;
  readonly templates: TemplateService;
  readonly hashes: Crypto;
  readonly clock: Clock;
  readonly log: Logger;
  readonly guard: ListenerGuard;
  readonly submissions: Pick<Submissions, 'record'>;
  /** False while the node has no work for miners: initial block download, or its clock is behind the tip. */
  readonly wanted: () => boolean;
  /**
   * Publishes records of shares; null without -zmqpubshare and -fleetshares. Resolves with false if the broker may not have
   * them.
   */
  readonly publishShares: ((bytes: Uint8Array) => Promise<boolean>) | null;
  /** The serving thread's module; workers/stratum.js unless a test brings its own. */
  readonly entry?: URL;
}

/** Interface of the Stratum V1 server for the node. */
export interface Stratum {
  /** Called when the tip changed, in the same event-loop tick. */
  onTip(): void;
  /** Called when the node's clock fell behind the tip's time, caught up with it, or was set to another time. */
  clockChanged(): void;
  /** Called when a transaction entered the mempool. */
  onEntered(entry: Pick<MempoolEntry, 'modifiedFee'>): void;
  /** Opens the ports; miners are refused until `start`. @throws ConfigError */
  listen(): Promise<void>;
  /** Called when the chain is loaded. Submits blocks of earlier runs again, then sends jobs to miners. */
  start(): Promise<void>;
  /** Returns a page of workers; null while the thread is not running. */
  workers(query: WorkerQuery): Promise<WorkerPage | null>;
  readonly addresses: readonly string[];
  measures(): StratumMeasures;
  close(): Promise<void>;
}

/** @throws ConfigError when an option cannot be used */
export function createStratum(config: StratumConfig, deps: StratumDeps): Stratum {
  const { chain, templates, hashes, clock, log, guard } = deps;
  const after = (ms: number, run: () => void): (() => void) => timerAfter(ms, guard.wrap('stratum', run));
  const solutionsDir = config.blocksFolder;
  const counters = new StratumCounters();
  const reserve = { weight: deps.reservedWeight, sigops: RESERVED_SIGOPS };
  const { publishShares } = deps;
  const place = { front: config.front ?? 0, reserve, solutionsDir, streamsShares: publishShares !== null, counters: counters.buffer };
  const options = stratumThreadOptions(config, { network: deps.network, params: chain.view.params, hashes, place });
  const solutions = createFoundBlocks(STRATUM_NAME, solutionsDir, deps);
  let thread: SupervisedThread<StratumThread> | null = null;
  let database: WorkerDatabase | null = null;
  let started = false;
  /** Records of shares that the broker may not have. */
  let unpublished = 0;
  const post = (message: ToStratum): void => thread?.current?.post(message);
  const provider = new Provider(
    {
      name: STRATUM_NAME,
      intervalMs: INTERVAL_MS,
      feeDelta: deps.longPollDeltaSats,
      refreshMs: REFRESH_MS,
      maxWeight: deps.maxWeight,
      leastReserve: reserve,
    },
    { templates, params: chain.view.params, hashes, clock, log, wanted: () => started && deps.wanted(), post, after },
  );
  const onNews = (message: StratumNews): void => {
    if (message.kind === 'needs') provider.setNeeds(message.reserves);
    else if (message.kind === 'solution') void solutions.judgeSolution(message);
    else if (message.kind === 'rows') database?.writeRows(message.rows);
    else if (message.kind === 'shares') {
      const { bytes, records } = message;
      void publishShares?.(bytes).then((published) => {
        if (!published) unpublished += records;
        post({ kind: 'taken', bytes: bytes.length });
      });
    } else if (message.level === 'debug') log.debug('net', message.text);
    else log[message.level](message.text);
  };
  /** Called when the thread ended. The last blocks of miners may only be on disk. */
  const ended = async (): Promise<void> => {
    provider.setNeeds([]);
    for (const gauge of ['connectionsOpen', 'minersOpen', 'unsentBytes', 'rowsWaiting'] as const) counters.set(gauge, 0);
    await solutions.settled();
    if (started) await solutions.resubmit();
  };
  return {
    get addresses() {
      return shownAddresses(thread?.addresses ?? []);
    },
    measures: () => ({ serving: counters.read(), outcomes: solutions.outcomes, unpublished }),
    workers: async (query) => (await thread?.current?.queryThread(query)) ?? null,
    onTip: () => {
      provider.onTip(performance.timeOrigin + performance.now());
      solutions.tipChanged();
    },
    clockChanged: () => provider.onTip(null),
    onEntered: ({ modifiedFee }) => provider.onEntered(modifiedFee),
    listen: async () => {
      const opened = await WorkerDatabase.open(config.workersFolder, log);
      database = opened;
      thread = await SupervisedThread.start({
        ...{ name: STRATUM_NAME, clock, log, after: timerAfter, ended },
        start: async (addresses, onEnd, givenUp) =>
          startStratum(options.at(addresses, await opened.readRows()), onNews, onEnd, deps.entry, givenUp),
        startedAgain: () => provider.onNewThread(),
      }).catch((error: Error) => {
        throw new ConfigError(`Unable to listen for Stratum V1 miners: ${error.message}`);
      });
      logListening(config, thread.addresses, log);
    },
    start: async () => {
      await solutions.resubmit();
      started = true;
      provider.onTip(null);
    },
    close: async () => {
      provider.close();
      await thread?.close();
      thread = null;
      await solutions.settled();
      await database?.close();
    },
  };
}

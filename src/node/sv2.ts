// Builds the Stratum V2 template provider: authority key, serving thread, templates and solutions (-sv2).
import path from 'node:path';
import type { Chain } from '../chain/index.js';
import { ConfigError, type Sv2Config } from '../config/index.js';
import type { Hashes } from '../crypto/crypto.js';
import type { KeyMath } from '../crypto/key-math.js';
import type { Clock } from '../lib/clock.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import { SupervisedThread, timerAfter } from '../lib/supervised-thread.js';
import type { Logger } from '../log/logger.js';
import type { MempoolEntry } from '../mempool/index.js';
import { Provider, type WorkNews } from '../mining/index.js';
import type { Sv2Access } from '../rpc/context/mining.js';
import { RESERVED_SIGOPS } from '../selection/index.js';
import { encodeAuthorityKey } from '../sv2/authority-key.js';
import { loadAuthorityKey } from '../sv2/provide/authority-file.js';
import { ServeCounters, type ServeNews, type ServingThread, startServe } from '../sv2/serve/index.js';
import type { TemplateService } from '../template/index.js';
import { createFoundBlocks } from './found-blocks.js';
import { parseBind } from './http-options.js';
import type { Submissions } from './submissions.js';
import type { Sv2Figures } from './sv2-metrics.js';

/** Folder in the network's folder for submitted blocks that are not validated yet. */
const SOLUTIONS_FOLDER = 'sv2-solutions';
const LOOPBACK = '127.0.0.1';

export interface Sv2Deps {
  readonly netDir: string;
  readonly maxWeight: number;
  readonly reservedWeight: number;
  readonly chain: Chain;
  readonly templates: TemplateService;
  readonly hashes: Hashes;
  readonly keys: KeyMath;
  readonly clock: Clock;
  readonly log: Logger;
  readonly guard: ListenerGuard;
  readonly submissions: Pick<Submissions, 'record'>;
  /** Returns whether templates are useful: on a test chain, or after the initial download. */
  readonly wanted: () => boolean;
  /** Module of the serving thread; workers/sv2.js by default. */
  readonly entry?: URL;
}

/** The provider for the node. */
export interface Sv2 extends Sv2Access {
  /** Called in the tick of a tip change. */
  onTip(): void;
  /** Called when the clock fell behind the tip or caught up. */
  clockChanged(): void;
  /** Called when a transaction entered the mempool. */
  onEntered(entry: MempoolEntry): void;
  /**
   * Opens the port. Clients wait for templates until `start`.
   * @throws ConfigError
   */
  listen(): Promise<void>;
  /**
   * Called when the chain is loaded. Submits blocks of an earlier run that were not validated, then serves templates.
   */
  start(): Promise<void>;
  measures(): Sv2Figures;
  close(): Promise<void>;
}

/**
 * Creates the provider.
 * @throws ConfigError if the authority key cannot be used
 */
export function createSv2(config: Sv2Config, deps: Sv2Deps): Sv2 {
  const { chain, templates, hashes, clock, log, guard } = deps;
  const after = (ms: number, run: () => void): (() => void) => timerAfter(ms, guard.wrap('sv2', run));
  let authority: ReturnType<typeof loadAuthorityKey>;
  try {
    authority = loadAuthorityKey(config.authorityKeyFile, deps.keys, (line) => log.warn(line));
  } catch (error) {
    throw new ConfigError(`-sv2: ${(error as Error).message}`);
  }
  const authorityKey = encodeAuthorityKey(authority.publicKey, hashes);
  const solutionsDir = path.join(deps.netDir, SOLUTIONS_FOLDER);
  const solutions = createFoundBlocks('Stratum V2', solutionsDir, deps);
  const counters = new ServeCounters();
  const leastReserve = { weight: deps.reservedWeight, sigops: RESERVED_SIGOPS };
  let thread: SupervisedThread<ServingThread> | null = null;
  let started = false;
  const post = (message: WorkNews): void => thread?.current?.post(message);
  const provider = new Provider(
    {
      name: 'Stratum V2',
      intervalMs: config.intervalSeconds * 1000,
      feeDelta: config.feeDeltaSats,
      maxWeight: deps.maxWeight,
      leastReserve,
    },
    { templates, params: chain.view.params, hashes, clock, log, wanted: () => started && deps.wanted(), post, after },
  );
  const onServeNews = (message: ServeNews): void => {
    switch (message.kind) {
      case 'needs':
        provider.setNeeds(message.reserves);
        break;
      case 'solution':
        void solutions.judgeSolution(message);
        break;
      case 'log':
        if (message.level === 'debug') log.debug('net', message.text);
        else log[message.level](message.text);
    }
  };
  /** Called when the thread ended. The last solutions of clients may only be on disk. */
  const ended = async (): Promise<void> => {
    provider.setNeeds([]);
    for (const gauge of ['connectionsOpen', 'clientsOpen', 'unreadBytes'] as const) counters.set(gauge, 0);
    await solutions.settled();
    if (started) await solutions.resubmit();
  };
  return {
    authorityKey,
    get addresses() {
      return (thread?.addresses ?? []).map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
    },
    figures: () => counters.read(),
    measures: () => ({ serving: counters.read(), outcomes: solutions.outcomes }),
    solutions: () => ({ ...solutions.outcomes, resubmitted: solutions.resubmitted }),
    clients: async () => (await thread?.current?.queryThread('clients')) ?? [],
    onTip: () => {
      provider.onTip(performance.timeOrigin + performance.now());
      solutions.tipChanged();
    },
    clockChanged: () => provider.onTip(null),
    onEntered: ({ modifiedFee }) => provider.onEntered(modifiedFee),
    listen: async () => {
      const binds = config.binds.length > 0 ? config.binds : [LOOPBACK];
      const options = {
        perAddress: config.perAddress,
        authoritySecret: authority.secret,
        solutionsDir,
        maxWeight: deps.maxWeight,
        leastReserve,
        counters: counters.buffer,
        powLimit: chain.view.params.powLimit,
      };
      const wanted = binds.map((text) => parseBind(text, config.port, 'sv2bind'));
      thread = await SupervisedThread.start({
        name: 'Stratum V2',
        clock,
        log,
        after: timerAfter,
        start: (addresses, onEnd, givenUp) =>
          startServe({ ...options, binds: addresses ?? wanted }, onServeNews, onEnd, deps.entry, givenUp),
        ended,
        startedAgain: () => provider.onNewThread(),
      }).catch((error: Error) => {
        throw new ConfigError(`Unable to listen for Stratum V2 clients: ${error.message}`);
      });
      const made = authority.fresh ? ' (new)' : '';
      log.info(`Stratum V2 templates on ${thread.addresses.map(({ host, port }) => `${host}:${port}`).join(', ')}`);
      log.info(`Template Provider authority key: ${authorityKey}${made}`);
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
      authority.secret.fill(0);
      await solutions.settled();
    },
  };
}

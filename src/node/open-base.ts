// Opens what every module needs: curve arithmetic, the memory shared with the fronts, clock, scheduler, metrics.

import type { NodeConfig } from '../config/index.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Crypto } from '../crypto/crypto.js';
import { cryptoWarning } from '../crypto/native/index.js';
import { createKeyMath } from '../crypto/native/key-math.js';
import { ListenerGuard } from '../lib/listener-guard.js';
import { Scheduler } from '../lib/scheduler.js';
import { SystemClock } from '../lib/system-clock.js';
import { SharedState, STATE_FLAG } from '../link/shared-state.js';
import { listedCategories } from '../log/categories.js';
import type { NodeLogger } from '../log/create-logger.js';
import { logMetricFaults } from '../metrics/index.js';
import type { Compat } from '../policy/compat.js';
import type { LogControl } from '../rpc/context/node.js';
import type { RocksStore } from '../storage/rocks-store.js';
import type { MetricSources } from './metric-sources.js';
import { createMetrics } from './metrics.js';
import { logTrust } from './network-params.js';
import type { NodeStop } from './node-stop.js';
import type { Teardown } from './teardown.js';

function createLogControl(log: NodeLogger, state: SharedState, compat: Pick<Compat, 'name'>): LogControl {
  const show = (): void => {
    state.set(STATE_FLAG.LOG_HTTP, log.shows('http'));
    state.set(STATE_FLAG.LOG_RPC, log.shows('rpc'));
  };
  const switchCategory = (name: string, on: boolean): boolean => {
    const known = log.setCategory(name, on);
    show();
    return known;
  };
  show();
  return {
    categories: () => listedCategories(compat).map((name) => [name, log.isOn(name)]),
    enable: (name) => switchCategory(name, true),
    disable: (name) => switchCategory(name, false),
    path: log.path,
    info: (line) => log.info(line),
  };
}

/** Values that exist before the modules are opened: options, log, database and others. */
interface Ground {
  readonly config: NodeConfig;
  readonly log: NodeLogger;
  /** Steps that close the node. Every open function adds a step for what it opened. */
  readonly teardown: Teardown;
  readonly stop: NodeStop;
  readonly crypto: Crypto;
  readonly params: ChainParams;
  readonly store: RocksStore;
  /** Start of the process in seconds since 1970. */
  readonly startedSeconds: number;
}

export interface NodeBase extends Ground {
  readonly keyMath: ReturnType<typeof createKeyMath>;
  readonly state: SharedState;
  readonly clock: SystemClock;
  readonly scheduler: Scheduler;
  /** Runs the listeners of chain, mempool and templates. */
  readonly guard: ListenerGuard;
  readonly logControl: LogControl;
  readonly metrics: ReturnType<typeof createMetrics>['metrics'];
  readonly observe: ReturnType<typeof createMetrics>['observe'];
  /** Sets the modules that scrapes read. */
  setMetricSources(sources: MetricSources): void;
}

export function openBase(ground: Ground): NodeBase {
  const { config, log, teardown, crypto, params, store, startedSeconds } = ground;
  const { backend } = crypto;
  log.info(`Curve checks: ECDSA by ${backend.ecdsa}, Schnorr by ${backend.schnorr}; database: ${store.engine}`);
  const curveWarning = cryptoWarning(backend);
  if (curveWarning !== null) log.warn(curveWarning);
  logTrust(config, params, log);

  const state = new SharedState();
  state.startedMs = startedSeconds * 1000;
  state.mockSeconds = config.mockTime;
  state.set(STATE_FLAG.TEST_CHAIN, config.chain !== 'main');
  state.set(STATE_FLAG.NETWORK, true);
  state.set(STATE_FLAG.INITIAL_BLOCK_DOWNLOAD, true);
  const clock = new SystemClock({
    get: () => state.mockSeconds,
    set: (seconds) => {
      state.mockSeconds = seconds;
    },
  });
  log.showMockTime(() => state.mockSeconds);

  const guard = new ListenerGuard(log);
  const scheduler = new Scheduler(guard);
  teardown.add(() => scheduler.close());
  let sources: MetricSources | undefined;
  return {
    ...ground,
    keyMath: createKeyMath(),
    state,
    clock,
    scheduler,
    guard,
    logControl: createLogControl(log, state, config.compat),
    ...createMetrics(() => sources, guard, logMetricFaults(log)),
    setMetricSources: (opened) => {
      sources = opened;
    },
  };
}

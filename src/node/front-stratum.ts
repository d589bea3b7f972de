// Stratum V1 miners of a process of fronts (adit-front -stratum): the serving thread of a node, with the fleet's templates,
// and blocks that go to every node.
import { randomInt } from 'node:crypto';
import { ConfigError, type StratumConfig } from '../config/index.js';
import type { ChainName, ChainParams } from '../consensus/params/chain-params.js';
import type { Crypto } from '../crypto/crypto.js';
import { FrontProvider } from '../fleet/follow/index.js';
import { SupervisedThread, timerAfter } from '../lib/supervised-thread.js';
import type { Logger } from '../log/logger.js';
import type { StratumAccess } from '../rpc/context/mining.js';
import { RESERVED_SIGOPS } from '../selection/index.js';
import { StratumCounters, type StratumNews, type StratumThread, startStratum } from '../stratum/serve/index.js';
import type { TemplateFacts } from '../template/index.js';
import { FrontBlocks } from './front-blocks.js';
import type { StratumMeasures } from './stratum-metrics.js';
import { INTERVAL_MS, logListening, REFRESH_MS, STRATUM_NAME, shownAddresses, stratumThreadOptions } from './stratum-thread.js';
import { WorkerDatabase } from './worker-database.js';

export interface FrontStratumDeps {
  readonly network: ChainName;
  readonly maxWeight: number;
  readonly reservedWeight: number;
  readonly longPollDeltaSats: number;
  readonly params: ChainParams;
  readonly hashes: Crypto;
  readonly log: Logger;
  readonly nowSeconds: () => number;
  /** Submits a block to every node. @returns the nodes' reject reason; null if a node accepted the block */
  readonly submit: (block: Uint8Array, user: string) => Promise<string | null>;
  /**
   * Publishes records of shares on the broker; null without -fleetshares. Resolves with false if the broker may not have
   * them.
   */
  readonly publishShares: ((bytes: Uint8Array) => Promise<boolean>) | null;
}

/** The miners' side of a process of fronts. */
export interface FrontStratum extends StratumAccess {
  template(facts: TemplateFacts, transactions: Uint8Array | null): void;
  measures(): StratumMeasures;
  close(): Promise<void>;
}

/** Opens the ports. @throws ConfigError when an option or an address cannot be used */
export async function openFrontStratum(config: StratumConfig, deps: FrontStratumDeps): Promise<FrontStratum> {
  const { params, hashes, log, nowSeconds } = deps;
  const counters = new StratumCounters();
  const reserve = { weight: deps.reservedWeight, sigops: RESERVED_SIGOPS };
  const blocks = new FrontBlocks({
    ...{ name: STRATUM_NAME, dir: config.blocksFolder, log, after: timerAfter },
    submit: deps.submit,
  });
  const { publishShares } = deps;
  const place = {
    ...{ front: config.front ?? randomInt(1, 256), reserve, solutionsDir: blocks.dir },
    ...{ streamsShares: publishShares !== null, counters: counters.buffer },
  };
  let unpublished = 0;
  const options = stratumThreadOptions(config, { network: deps.network, params, hashes, place });
  let thread: SupervisedThread<StratumThread> | null = null;
  const database = await WorkerDatabase.open(config.workersFolder, log);
  let hasTemplate = false;
  const clock = { monotonicMs: () => performance.now() };
  const provider = new FrontProvider(
    {
      intervalMs: INTERVAL_MS,
      feeDelta: deps.longPollDeltaSats,
      refreshMs: REFRESH_MS,
      maxWeight: deps.maxWeight,
      leastReserve: reserve,
    },
    {
      ...{ params, hashes, nowSeconds, after: timerAfter },
      post: (message) => thread?.current?.post(message),
      nowMs: () => performance.timeOrigin + performance.now(),
    },
  );
  const onNews = (message: StratumNews): void => {
    if (message.kind === 'needs') provider.setNeeds(message.reserves);
    else if (message.kind === 'solution') void blocks.submitBlock(message);
    else if (message.kind === 'rows') database.writeRows(message.rows);
    else if (message.kind === 'shares') {
      const { bytes, records } = message;
      void publishShares?.(bytes).then((published) => {
        if (!published) unpublished += records;
      });
      thread?.current?.post({ kind: 'taken', bytes: bytes.length });
    } else if (message.level === 'debug') log.debug('net', message.text);
    else log[message.level](message.text);
  };
  thread = await SupervisedThread.start({
    ...{ name: STRATUM_NAME, clock, log, after: timerAfter },
    start: async (addresses, onEnd, givenUp) =>
      startStratum(options.at(addresses, await database.readRows()), onNews, onEnd, undefined, givenUp),
    ended: async () => {
      for (const gauge of ['connectionsOpen', 'minersOpen', 'unsentBytes', 'rowsWaiting'] as const) counters.set(gauge, 0);
      blocks.resubmit();
    },
    startedAgain: () => provider.onNewThread(),
  }).catch((error: Error) => {
    throw new ConfigError(`Unable to listen for Stratum V1 miners: ${error.message}`);
  });
  logListening(config, thread.addresses, log);
  return {
    template: (facts, transactions) => {
      provider.template(facts, transactions);
      // The first template shows that a node can be reached, so submit the blocks of earlier runs.
      if (!hasTemplate) blocks.resubmit();
      hasTemplate = true;
    },
    workers: async (query) => (await thread?.current?.queryThread(query)) ?? null,
    get addresses() {
      return shownAddresses(thread?.addresses ?? []);
    },
    measures: () => ({ serving: counters.read(), outcomes: blocks.outcomes, unpublished }),
    close: async () => {
      provider.close();
      blocks.close();
      await thread?.close();
      await database.close();
    },
  };
}

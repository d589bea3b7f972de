// Stratum V2 clients of a process of fronts (adit-front -sv2): the serving thread of a node, with the fleet's
// templates. Solutions go to every node.
import { ConfigError, type Sv2Config } from '../config/index.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { createNativeHashes } from '../crypto/native/hashes.js';
import { createKeyMath } from '../crypto/native/key-math.js';
import { FrontProvider } from '../fleet/follow/index.js';
import { SupervisedThread, timerAfter } from '../lib/supervised-thread.js';
import type { Logger } from '../log/logger.js';
import type { FoundBlock, SolutionOutcome } from '../mining/index.js';
import { RESERVED_SIGOPS } from '../selection/index.js';
import { encodeAuthorityKey } from '../sv2/authority-key.js';
import { loadAuthorityKey } from '../sv2/provide/authority-file.js';
import { ServeCounters, type ServeNews, type ServingThread, startServe } from '../sv2/serve/index.js';
import type { TemplateFacts } from '../template/index.js';
import { parseBind } from './http-options.js';
import type { Sv2Figures } from './sv2-metrics.js';

export interface FrontSv2Deps {
  readonly maxWeight: number;
  readonly reservedWeight: number;
  readonly params: ChainParams;
  readonly log: Logger;
  readonly nowSeconds: () => number;
  /**
   * Sends a block to every node.
   * @returns the nodes' reject reason; null if a node accepted the block
   */
  readonly submit: (block: Uint8Array, user: string) => Promise<string | null>;
}

/** Stratum V2 server of a process of fronts. */
export interface FrontSv2 {
  template(facts: TemplateFacts, transactions: Uint8Array | null): void;
  measures(): Sv2Figures;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/**
 * Opens the port.
 * @throws ConfigError if the key or the address cannot be used
 */
export async function openFrontSv2(config: Sv2Config, deps: FrontSv2Deps): Promise<FrontSv2> {
  const { params, log } = deps;
  const hashes = createNativeHashes();
  let authority: ReturnType<typeof loadAuthorityKey>;
  try {
    authority = loadAuthorityKey(config.authorityKeyFile, createKeyMath(), (line) => log.warn(line));
  } catch (error) {
    throw new ConfigError(`-sv2: ${(error as Error).message}`);
  }
  const leastReserve = { weight: deps.reservedWeight, sigops: RESERVED_SIGOPS };
  const counters = new ServeCounters();
  const outcomes: Record<SolutionOutcome, number> = { accepted: 0, duplicate: 0, lost: 0, invalid: 0, fault: 0 };
  let thread: SupervisedThread<ServingThread> | null = null;
  const clock = {
    nowMs: () => performance.timeOrigin + performance.now(),
    monotonicMs: () => performance.now(),
    nowSeconds: deps.nowSeconds,
  };
  const provider = new FrontProvider(
    { intervalMs: config.intervalSeconds * 1000, feeDelta: config.feeDeltaSats, maxWeight: deps.maxWeight, leastReserve },
    {
      params,
      hashes,
      post: (message) => thread?.current?.post(message),
      nowSeconds: deps.nowSeconds,
      nowMs: clock.nowMs,
      after: timerAfter,
    },
  );
  const solved = async ({ hashHex, block, finder }: FoundBlock): Promise<void> => {
    log.info(`Stratum V2: block ${hashHex} from ${finder}`);
    const verdict = await deps.submit(block, `Stratum V2 ${finder}`).catch((error: Error) => error.message);
    const outcome = outcomeOf(verdict);
    outcomes[outcome]++;
    log.info(`Stratum V2: block ${hashHex}: ${verdict ?? 'accepted'}`);
  };
  const onServeNews = (message: ServeNews): void => {
    if (message.kind === 'needs') provider.setNeeds(message.reserves);
    else if (message.kind === 'solution') void solved(message);
    else if (message.level === 'debug') log.debug('net', message.text);
    else log[message.level](message.text);
  };
  const binds = config.binds.length > 0 ? config.binds : [LOOPBACK];
  const options = {
    perAddress: config.perAddress,
    authoritySecret: authority.secret,
    // The nodes and the broker's stream store solutions, so this process needs no disk.
    solutionsDir: '',
    maxWeight: deps.maxWeight,
    leastReserve,
    counters: counters.buffer,
    powLimit: params.powLimit,
  };
  const wanted = binds.map((text) => parseBind(text, config.port, 'sv2bind'));
  thread = await SupervisedThread.start({
    name: 'Stratum V2',
    clock,
    log,
    after: timerAfter,
    start: (addresses, onEnd, givenUp) => startServe({ ...options, binds: addresses ?? wanted }, onServeNews, onEnd, undefined, givenUp),
    ended: () => Promise.resolve(),
    startedAgain: () => provider.onNewThread(),
  }).catch((error: Error) => {
    throw new ConfigError(`Unable to listen for Stratum V2 clients: ${error.message}`);
  });
  log.info(`Stratum V2 templates on ${thread.addresses.map(({ host, port }) => `${host}:${port}`).join(', ')}`);
  log.info(`Template Provider authority key: ${encodeAuthorityKey(authority.publicKey, hashes)}${authority.fresh ? ' (made now)' : ''}`);
  return {
    template: (facts, transactions) => provider.template(facts, transactions),
    measures: () => ({ serving: counters.read(), outcomes }),
    close: async () => {
      provider.close();
      await thread?.close();
      authority.secret.fill(0);
    },
  };
}

/** Outcome of a block by the nodes' answer. @param verdict null: a node has accepted it */
export function outcomeOf(verdict: string | null): SolutionOutcome {
  if (verdict === null || verdict === 'duplicate') return verdict === null ? 'accepted' : 'duplicate';
  return verdict.startsWith('HTTP') || verdict === 'prev-blk-not-found' ? 'fault' : verdict === 'inconclusive' ? 'lost' : 'invalid';
}

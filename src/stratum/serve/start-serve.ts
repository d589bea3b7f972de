// Both ends of the thread that serves Stratum V1 miners: the thread itself, and its start on the node thread.
import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { createNativeHashes } from '../../crypto/native/hashes.js';
import { timerAfter } from '../../lib/supervised-thread.js';
import { WORKER_ENTRY } from '../../lib/worker-entries.js';
import { type NewsOf, type Serving, startServing } from '../../mining/serve/index.js';
import type { SessionContext } from '../session/context.js';
import type { WorkerPage, WorkerQuery } from '../statistics/worker-page.js';
import { Extranonces } from '../work/extranonces.js';
import { StratumCounters } from './counters.js';
import type { FromStratum, StratumOptions, ToStratum } from './messages.js';
import { StratumServer } from './server.js';
import { ShareStream } from './share-stream.js';
import { createWork } from './work-options.js';

/** Serves until the node thread sends `close`. */
export async function runStratum(options: StratumOptions, port: MessagePort): Promise<void> {
  const post = (message: FromStratum, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  let server: StratumServer;
  try {
    const hashes = createNativeHashes();
    const context: SessionContext = createWork(options, hashes, Math.floor(Date.now() / 1000));
    const counters = new StratumCounters(options.counters);
    const stream = options.streamsShares ? new ShareStream({ front: options.front, counters, post, after: timerAfter }) : null;
    server = new StratumServer({
      ...{ options, context, post, counters, stream },
      extranonces: new Extranonces(options.front, randomBytes(4).readUInt32LE()),
      nowMs: () => performance.timeOrigin + performance.now(),
    });
    post({ kind: 'listening', addresses: await server.listen() });
  } catch (error) {
    post({ kind: 'failed', text: (error as Error).message });
    return;
  }
  // After an exception the thread continues: miners and found blocks matter more than a clean end.
  const survive = (error: unknown): void =>
    post({ kind: 'log', level: 'error', text: `Stratum V1: ${error instanceof Error ? error.stack : String(error)}` });
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
  port.on('message', (message: ToStratum) => {
    server.receive(message);
    if (message.kind === 'close') port.close();
  });
}

/** Functions by which the node thread controls the serving thread. */
export type StratumThread = Serving<ToStratum, WorkerQuery, WorkerPage>;

/** Messages from the thread, except the one that reports its start and its answers to requests. */
export type StratumNews = NewsOf<FromStratum>;

/** Starts the thread; see startServing. @param entry the thread's module; workers/stratum.js unless a test brings its own */
export function startStratum(
  options: StratumOptions,
  listener: (message: StratumNews) => void,
  onEnd: (reason: Error) => void,
  entry: URL = WORKER_ENTRY.stratum,
  givenUp?: AbortSignal,
): Promise<StratumThread> {
  return startServing({ name: 'adit-stratum', entry, options }, listener, onEnd, givenUp);
}

// Both ends of the lenient listener's thread: the thread itself (called by workers/lenient.ts), and who starts and ends
// it (node).

import { type MessagePort, Worker } from 'node:worker_threads';
import type { ListeningThread } from '../../lib/kept-thread.js';
import { endWhenGivenUp } from '../../lib/loading-threads.js';
import { WORKER_ENTRY } from '../../lib/worker-entries.js';
import type { HttpBind } from '../options.js';
import { LenientListener, type LenientOptions } from './lenient-listener.js';

type Report =
  | { readonly kind: 'listening'; readonly addresses: HttpBind[] }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'alive' };
/** What it is told: to give a sign of life, or to close. */
type Order = 'alive' | 'close';

/** The thread: listens, reports, and closes when it is told to. */
export async function runLenient(options: LenientOptions, port: MessagePort): Promise<void> {
  const listener = new LenientListener(options);
  const report = (news: Report): void => port.postMessage(news);
  try {
    report({ kind: 'listening', addresses: await listener.listen() });
  } catch (error) {
    report({ kind: 'failed', text: (error as Error).message });
    return;
  }
  port.on('message', (order: Order) => {
    if (order === 'alive') report({ kind: 'alive' });
    else void listener.close().then(() => port.close());
  });
}

/** A listener that runs. */
export type LenientServer = ListeningThread;

/** A thread that does not end by itself is ended after so long. */
const CLOSE_MS = 3_000;

/**
 * Starts the thread.
 * @param onEnd called once when the thread ends by itself
 * @param entry the thread's module; workers/lenient.js unless a test brings its own
 * @param givenUp see KeptThreadDeps.start
 * @throws Error with the socket's text when no address works, or with the reason when the thread ends before it listens
 */
export async function startLenientServer(
  options: LenientOptions,
  onEnd: (reason: Error) => void,
  entry: URL = WORKER_ENTRY.lenient,
  givenUp?: AbortSignal,
): Promise<LenientServer> {
  const worker = new Worker(entry, { name: 'adit-lenient', workerData: options });
  let reason: Error | null = null;
  worker.on('error', (error) => {
    reason = error as Error;
  });
  const ended = new Promise<Error>((resolve) => {
    worker.once('exit', (code) => resolve(reason ?? new Error(`the thread ended with code ${code}`)));
  });
  const first = new Promise<Report>((resolve) => worker.once('message', resolve));
  const begun = Promise.race([first, ended.then((error): Report => ({ kind: 'failed', text: error.message }))]);
  let listens = false;
  endWhenGivenUp(givenUp, begun, () => listens || worker.terminate());
  const report = await begun;
  if (report.kind !== 'listening') {
    await worker.terminate();
    throw new Error(report.kind === 'failed' ? report.text : 'it does not listen');
  }
  listens = true;
  const tell = (order: Order): void => worker.postMessage(order);
  let closing = false;
  void ended.then((error) => {
    if (!closing) onEnd(error);
  });
  return {
    addresses: report.addresses,
    alive: async () => {
      const answer = new Promise((resolve) => worker.once('message', resolve));
      tell('alive');
      await Promise.race([answer, ended]);
    },
    abandon: () => void worker.terminate(),
    close: async () => {
      closing = true;
      tell('close');
      const late = setTimeout(() => void worker.terminate(), CLOSE_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

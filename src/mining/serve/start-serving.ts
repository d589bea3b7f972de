// The node thread's side of a thread that serves miners: starts the thread, passes messages, and ends it. The serving
// thread listens on sockets and answers the node thread's questions about its clients.
import { Worker } from 'node:worker_threads';
import { endWhenGivenUp, noteLoading } from '../../lib/loading-threads.js';
import type { Addresses, ListeningThread } from '../../lib/supervised-thread.js';

/** Bounds the garbage that a thread with thousands of clients leaves in memory before it is collected. */
const YOUNG_GENERATION_MB = 6;
/** A thread that does not end by itself within this time is terminated. */
const CLOSE_MS = 3_000;

/** First message of the thread. */
export type Start = { readonly kind: 'listening'; readonly addresses: Addresses } | { readonly kind: 'failed'; readonly text: string };

/** Messages that every serving thread understands. */
export type Order =
  | { readonly kind: 'clients'; readonly question: number }
  /** Must be answered at once, so that the node thread knows that the thread runs. */
  | { readonly kind: 'alive'; readonly question: number }
  | { readonly kind: 'close' };

/** Answers to the questions among the orders. */
export type Answer<Info> =
  | { readonly kind: 'clients'; readonly question: number; readonly clients: readonly Info[] }
  | { readonly kind: 'alive'; readonly question: number };

/** Messages of a thread except its first message and its answers. */
export type NewsOf<From extends { readonly kind: string }> = Exclude<From, { readonly kind: 'listening' | 'failed' | 'clients' | 'alive' }>;

/** The running thread. */
export interface Serving<Work, Info> extends ListeningThread {
  post(message: Work): void;
  /** Returns the current clients; none after the thread has ended. */
  clients(): Promise<readonly Info[]>;
}

/**
 * Starts the thread.
 * @param thread its name for the system, its module, and its options (cloned)
 * @param onEnd called once when the thread ends by itself; no message follows
 * @param givenUp see KeptThreadDeps.start
 * @throws Error with the socket's text when an address cannot be used
 */
export async function startServing<Work, News extends { readonly kind: string }, Info>(
  { name, entry, options }: { readonly name: string; readonly entry: URL; readonly options: unknown },
  listener: (message: News) => void,
  onEnd: (reason: Error) => void,
  givenUp?: AbortSignal,
): Promise<Serving<Work, Info>> {
  const worker = new Worker(entry, { name, workerData: options, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
  const questions = new Map<number, (clients: readonly Info[]) => void>();
  let lastQuestion = 0;
  let listening = false;
  let closing = false;
  let ended = false;
  let reason: Error | null = null;
  const started = new Promise<Start>((resolve) => {
    worker.on('message', (message: Start | Answer<Info>) => {
      if (message.kind === 'listening' || message.kind === 'failed') resolve(message);
      else if (message.kind === 'clients' || message.kind === 'alive') {
        questions.get(message.question)?.(message.kind === 'clients' ? message.clients : []);
        questions.delete(message.question);
      } else listener(message);
    });
    worker.on('error', (error) => {
      reason = error as Error;
    });
    worker.once('exit', (code) => {
      ended = true;
      reason ??= new Error(`the thread ended with code ${code}`);
      resolve({ kind: 'failed', text: reason.message });
      for (const answer of questions.values()) answer([]);
      questions.clear();
      if (listening && !closing) onEnd(reason);
    });
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  noteLoading(started.then(() => {}));
  endWhenGivenUp(givenUp, started, () => listening || worker.terminate());
  const report = await started;
  // The thread may have ended in the event-loop tick in which it reported that it listens.
  if (report.kind === 'failed' || ended) {
    closing = true;
    await worker.terminate();
    throw new Error(report.kind === 'failed' ? report.text : reason!.message);
  }
  listening = true;
  const post = (message: Work | Order): void => worker.postMessage(message);
  const ask = (kind: 'clients' | 'alive'): Promise<readonly Info[]> => {
    if (ended) return Promise.resolve([]);
    return new Promise((resolve) => {
      questions.set(++lastQuestion, resolve);
      post({ kind, question: lastQuestion });
    });
  };
  return {
    addresses: report.addresses,
    post,
    clients: () => ask('clients'),
    alive: async () => {
      await ask('alive');
    },
    abandon: () => void worker.terminate(),
    close: async () => {
      closing = true;
      post({ kind: 'close' });
      const late = setTimeout(() => void worker.terminate(), CLOSE_MS);
      await exited;
      clearTimeout(late);
    },
  };
}

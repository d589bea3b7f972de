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

/**
 * Messages that every serving thread understands. The thread answers a question at once, and null with null: the node
 * thread then only checks that the thread responds.
 */
export type Order<Question> =
  | { readonly kind: 'ask'; readonly number: number; readonly question: Question | null }
  | { readonly kind: 'close' };

/** Answer to the question with this number. */
export interface Answer<Reply> {
  readonly kind: 'answer';
  readonly number: number;
  readonly reply: Reply | null;
}

/** Messages of a thread except its first message and its answers. */
export type NewsOf<From extends { readonly kind: string }> = Exclude<From, { readonly kind: 'listening' | 'failed' | 'answer' }>;

export interface Serving<Work, Question, Reply> extends ListeningThread {
  post(message: Work): void;
  /** Returns the thread's answer; null after the thread has ended. */
  queryThread(question: Question): Promise<Reply | null>;
}

/**
 * Starts the thread.
 * @param thread its name for the system, its module, and its options (cloned)
 * @param onEnd called once when the thread ends by itself; no message follows
 * @param givenUp see KeptThreadDeps.start
 * @throws Error with the socket's text when an address cannot be used
 */
export async function startServing<Work, News extends { readonly kind: string }, Question, Reply>(
  { name, entry, options }: { readonly name: string; readonly entry: URL; readonly options: unknown },
  listener: (message: News) => void,
  onEnd: (reason: Error) => void,
  givenUp?: AbortSignal,
): Promise<Serving<Work, Question, Reply>> {
  const worker = new Worker(entry, { name, workerData: options, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
  const questions = new Map<number, (reply: Reply | null) => void>();
  let lastQuestion = 0;
  let listening = false;
  let closing = false;
  let ended = false;
  let reason: Error | null = null;
  const started = new Promise<Start>((resolve) => {
    worker.on('message', (message: Start | Answer<Reply>) => {
      if (message.kind === 'listening' || message.kind === 'failed') resolve(message);
      else if (message.kind === 'answer') {
        questions.get(message.number)?.(message.reply);
        questions.delete(message.number);
      } else listener(message);
    });
    worker.on('error', (error) => {
      reason = error as Error;
    });
    worker.once('exit', (code) => {
      ended = true;
      reason ??= new Error(`the thread ended with code ${code}`);
      resolve({ kind: 'failed', text: reason.message });
      for (const answer of questions.values()) answer(null);
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
  const post = (message: Work | Order<Question>): void => worker.postMessage(message);
  const queryThread = (question: Question | null): Promise<Reply | null> => {
    if (ended) return Promise.resolve(null);
    return new Promise((resolve) => {
      questions.set(++lastQuestion, resolve);
      post({ kind: 'ask', number: lastQuestion, question });
    });
  };
  return {
    addresses: report.addresses,
    post,
    queryThread,
    alive: async () => {
      await queryThread(null);
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

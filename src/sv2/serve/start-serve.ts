// Both ends of the serving thread: the thread itself (called by workers/sv2.ts), and what starts and ends it on the
// node thread.

import { randomBytes } from 'node:crypto';
import { type MessagePort, Worker } from 'node:worker_threads';
import { createAead } from '../../crypto/native/aead.js';
import { createEllSwift } from '../../crypto/native/ell-swift.js';
import { createNativeHashes } from '../../crypto/native/hashes.js';
import { createKeyMath } from '../../crypto/native/key-math.js';
import { createSigner } from '../../crypto/native/sign.js';
import type { ListeningThread } from '../../lib/kept-thread.js';
import { endWhenGivenUp, noteLoading } from '../../lib/loading-threads.js';
import { WORKER_ENTRY } from '../../lib/worker-entries.js';
import { makeCertificate } from '../noise/certificate.js';
import type { ResponderIdentity } from '../noise/responder.js';
import { ServeCounters } from './counters.js';
import type { ClientInfo, FromServe, ServeOptions, ToServe } from './messages.js';
import { Sv2Server } from './server.js';

/** Clients' clocks may be behind ours; the end is the largest number, so that a long run needs no other certificate. */
const VALID_BEFORE_SECONDS = 3_600;
const NOT_VALID_AFTER = 0xffffffff;

/** A static key of this run with its certificate. */
function createIdentity(authoritySecret: Uint8Array): { identity: ResponderIdentity; ellSwift: ReturnType<typeof createEllSwift> } {
  const hashes = createNativeHashes();
  const ellSwift = createEllSwift(hashes);
  const staticKey = ellSwift.create();
  const staticPublic = createKeyMath().publicKey(staticKey.secret, true);
  if (staticPublic === null) throw new Error('a fresh key is no key');
  const validFrom = Math.floor(Date.now() / 1000) - VALID_BEFORE_SECONDS;
  const certificate = makeCertificate(
    { validFrom, notValidAfter: NOT_VALID_AFTER, staticKey: staticPublic.subarray(1) },
    authoritySecret,
    new Uint8Array(randomBytes(32)),
    { sha256: hashes.sha256, signSchnorr: createSigner().signSchnorr },
  );
  if (certificate === null) throw new Error('the authority key is no private key');
  return { identity: { staticKey, certificate }, ellSwift };
}

/** The thread: listens, reports, serves until it is told to close. */
export async function runServe(options: ServeOptions, port: MessagePort): Promise<void> {
  const post = (message: FromServe, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  let server: Sv2Server;
  try {
    const { identity, ellSwift } = createIdentity(options.authoritySecret);
    options.authoritySecret.fill(0);
    const hashes = createNativeHashes();
    const counters = new ServeCounters(options.counters);
    // With fractions, as the times of blocks that clients' news are measured from.
    const clock = { nowMs: () => performance.timeOrigin + performance.now(), monotonicMs: () => performance.now() };
    server = new Sv2Server({ hashes, aead: createAead(), ellSwift, identity: () => identity, options, counters, clock, post });
    post({ kind: 'listening', addresses: await server.listen() });
  } catch (error) {
    post({ kind: 'failed', text: (error as Error).message });
    return;
  }
  // Clients and submitted blocks are worth more than a tidy end.
  const survive = (error: unknown): void =>
    post({ kind: 'log', level: 'error', text: `Stratum V2: ${error instanceof Error ? error.stack : String(error)}` });
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
  port.on('message', (message: ToServe) => {
    server.receive(message);
    if (message.kind === 'close') port.close();
  });
}

/** A thread that serves. */
export interface ServingThread extends ListeningThread {
  post(message: ToServe): void;
  /** Its clients now; none when it has ended. */
  clients(): Promise<readonly ClientInfo[]>;
}

/** What the node thread hears besides the start and the answers to its questions. */
export type ServeNews = Exclude<FromServe, { readonly kind: 'listening' | 'failed' | 'clients' }>;

/** A thread that does not end by itself is ended after so long. */
const CLOSE_MS = 3_000;

/**
 * Starts the thread.
 * @param onEnd called once when the thread ends by itself; nothing is heard of it afterwards
 * @param entry the thread's module; workers/sv2.js unless a test brings its own
 * @param givenUp see KeptThreadDeps.start
 * @throws Error with the socket's text when an address does not work
 */
export async function startServe(
  options: ServeOptions,
  listener: (message: ServeNews) => void,
  onEnd: (reason: Error) => void,
  entry: URL = WORKER_ENTRY.sv2,
  givenUp?: AbortSignal,
): Promise<ServingThread> {
  const worker = new Worker(entry, { name: 'adit-sv2', workerData: options });
  const questions = new Map<number, (clients: readonly ClientInfo[]) => void>();
  let lastQuestion = 0;
  let listening = false;
  let closing = false;
  let ended = false;
  let reason: Error | null = null;
  const started = new Promise<Extract<FromServe, { kind: 'listening' | 'failed' }>>((resolve) => {
    worker.on('message', (message: FromServe) => {
      if (message.kind === 'listening' || message.kind === 'failed') resolve(message);
      else if (message.kind === 'clients') {
        questions.get(message.question)?.(message.clients);
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
  // Its end may have come in the same turn as the news that it listens.
  if (report.kind === 'failed' || ended) {
    closing = true;
    await worker.terminate();
    throw new Error(report.kind === 'failed' ? report.text : reason!.message);
  }
  listening = true;
  const post = (message: ToServe): void => worker.postMessage(message);
  const clients = (): Promise<readonly ClientInfo[]> => {
    if (ended) return Promise.resolve([]);
    return new Promise((resolve) => {
      questions.set(++lastQuestion, resolve);
      post({ kind: 'clients', question: lastQuestion });
    });
  };
  return {
    addresses: report.addresses,
    post,
    clients,
    alive: async () => {
      await clients();
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

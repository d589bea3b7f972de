// Both ends of the serving thread: the thread itself (called by workers/sv2.ts), and the functions with which the node
// thread starts and ends it.

import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { createAead } from '../../crypto/native/aead.js';
import { createEllSwift } from '../../crypto/native/ell-swift.js';
import { createNativeHashes } from '../../crypto/native/hashes.js';
import { createKeyMath } from '../../crypto/native/key-math.js';
import { createSigner } from '../../crypto/native/sign.js';
import { WORKER_ENTRY } from '../../lib/worker-entries.js';
import type { WorkNews } from '../../mining/index.js';
import { type NewsOf, type Serving, startServing } from '../../mining/serve/index.js';
import { makeCertificate } from '../noise/certificate.js';
import type { ResponderIdentity } from '../noise/responder.js';
import { ServeCounters } from './counters.js';
import type { ClientInfo, FromServe, ServeOptions, ToServe } from './messages.js';
import { Sv2Server } from './server.js';

/**
 * Certificates begin an hour early, because clients' clocks may be slow. They end at the largest number, so that a long
 * run needs no other certificate.
 */
const VALID_BEFORE_SECONDS = 3_600;
const NOT_VALID_AFTER = 0xffffffff;

/** Creates a static key for this run and its certificate. */
function createIdentity(authoritySecret: Uint8Array): { identity: ResponderIdentity; ellSwift: ReturnType<typeof createEllSwift> } {
  const hashes = createNativeHashes();
  const ellSwift = createEllSwift(hashes);
  const staticKey = ellSwift.createKey();
  const staticPublic = createKeyMath().publicKey(staticKey.secret, true);
  if (staticPublic === null) throw new Error('a new key is invalid');
  const validFrom = Math.floor(Date.now() / 1000) - VALID_BEFORE_SECONDS;
  const certificate = makeCertificate(
    { validFrom, notValidAfter: NOT_VALID_AFTER, staticKey: staticPublic.subarray(1) },
    authoritySecret,
    new Uint8Array(randomBytes(32)),
    { sha256: hashes.sha256, signSchnorr: createSigner().signSchnorr },
  );
  if (certificate === null) throw new Error('the authority key is not a valid private key');
  return { identity: { staticKey, certificate }, ellSwift };
}

/** Runs the thread: listens, reports its addresses, and serves until the message `close`. */
export async function runServe(options: ServeOptions, port: MessagePort): Promise<void> {
  const post = (message: FromServe, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  let server: Sv2Server;
  try {
    const { identity, ellSwift } = createIdentity(options.authoritySecret);
    options.authoritySecret.fill(0);
    const hashes = createNativeHashes();
    const counters = new ServeCounters(options.counters);
    // Times have fractions of milliseconds, like the acceptance times of blocks to which they are compared.
    const clock = { nowMs: () => performance.timeOrigin + performance.now(), monotonicMs: () => performance.now() };
    server = new Sv2Server({ hashes, aead: createAead(), ellSwift, identity: () => identity, options, counters, clock, post });
    post({ kind: 'listening', addresses: await server.listen() });
  } catch (error) {
    post({ kind: 'failed', text: (error as Error).message });
    return;
  }
  // After an exception the thread continues, because clients and submitted blocks are worth more than a clean state.
  const survive = (error: unknown): void =>
    post({ kind: 'log', level: 'error', text: `Stratum V2: ${error instanceof Error ? error.stack : String(error)}` });
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
  port.on('message', (message: ToServe) => {
    server.receive(message);
    if (message.kind === 'close') port.close();
  });
}

/** Starts the thread; see startServing. @param entry the thread's module; workers/sv2.js unless a test passes its own */
export function startServe(
  options: ServeOptions,
  listener: (message: ServeNews) => void,
  onEnd: (reason: Error) => void,
  entry: URL = WORKER_ENTRY.sv2,
  givenUp?: AbortSignal,
): Promise<ServingThread> {
  return startServing({ name: 'adit-sv2', entry, options }, listener, onEnd, givenUp);
}

/** Functions by which the node thread controls the serving thread. */
export type ServingThread = Serving<WorkNews, 'clients', readonly ClientInfo[]>;

/** Messages from the thread except those about its start, and answers to requests. */
export type ServeNews = NewsOf<FromServe>;

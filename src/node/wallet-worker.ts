// Runs on the wallets' thread: all wallets, their databases, and the methods that are declared with runs: 'wallet'.
// wallet-thread.ts is its counterpart on the node thread.
import { getHeapStatistics } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import type { DescriptorContext } from '../address/descriptor/context.js';
import { createNativeCrypto } from '../crypto/native/index.js';
import { createKeyMath } from '../crypto/native/key-math.js';
import { createSigner } from '../crypto/native/sign.js';
import type { SignJob } from '../jobs/sign.js';
import { ListenerGuard } from '../lib/listener-guard.js';
import { Scheduler } from '../lib/scheduler.js';
import { SystemClock } from '../lib/system-clock.js';
import { CallLinks } from '../link/call-links.js';
import { SharedState, STATE_FLAG } from '../link/shared-state.js';
import type { Logger } from '../log/logger.js';
import { PooledSigner, type PooledSignerDeps } from '../parallel/pooled-signer.js';
import { ActiveCommands, CallExecutor } from '../rpc/call-executor.js';
import type { WalletContext } from '../rpc/context/wallet.js';
import { RPC_CODE } from '../rpc/errors.js';
import { WALLET_RUNS } from '../rpc/wallet/runs.js';
import { ExternalSigner } from '../wallet/external-signer.js';
import { LinkedNodeClient } from '../wallet/linked-node-client.js';
import { WalletError } from '../wallet/manage/wallet-error.js';
import { createRandomSource } from '../wallet/spend/random-source.js';
import { operatorError } from './fault-advice.js';
import { startResending } from './resending.js';
import { createRunForJson } from './run-for-json.js';
import type { EndedCall, FromWallets, ToWallets, WalletInit } from './wallet-messages.js';
import { createWallets } from './wallets.js';

/** Number of the node thread's link. */
const NODE = -1;
/** Number of signing jobs that may wait at the pool. The pool's own queues are longer. */
const MOST_SIGN_JOBS = 1_000;
/**
 * Estimated microseconds up to which a transaction is signed on this thread: eight inputs with one key each. Using the
 * pool costs a third more processor time. With more inputs, other calls would wait too long for this thread.
 */
const HERE_US = 1_000;
/** Interval in milliseconds between reports of finished calls. */
const REPORT_MS = 200;
/** Interval in milliseconds between reports of the thread's memory. */
const HEAP_MS = 5_000;

// Errors lose their class between threads, so build the text here.
const textOf = (error: unknown): string => operatorError(error) ?? (error instanceof Error ? error.message : String(error));
const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

export async function runWallets(init: WalletInit, port: MessagePort): Promise<void> {
  const { options, compat, params, settingsFile } = init;
  const post = (message: FromWallets): void => port.postMessage(message);
  const state = new SharedState(init.state);
  const log: Logger = {
    info: (text) => post({ kind: 'line', level: 'info', text }),
    warn: (text) => post({ kind: 'line', level: 'warn', text }),
    error: (text) => post({ kind: 'line', level: 'error', text }),
    debug: (category, text) => post({ kind: 'detail', category, text }),
    shows: (category) => category === 'rpc' && state.has(STATE_FLAG.LOG_RPC),
  };
  const clock = new SystemClock({
    get: () => state.mockSeconds,
    // Only the node thread sets the mock time.
    set: () => {},
  });
  const crypto = createNativeCrypto();
  const keyMath = createKeyMath();
  const signer = createSigner();
  const stopping = new AbortController();
  const scheduler = new Scheduler(new ListenerGuard(log));
  const { facts, counters } = init.client;
  const client = new LinkedNodeClient({ facts, port: init.client.port, counters: new Int32Array(counters), hashes: crypto });
  const { descriptors: language, hardenedMark: inferredMark } = compat;
  const descriptors: DescriptorContext = { params, hashes: crypto, keys: keyMath, language, inferredMark };
  // Signing jobs go to the node's pool. This thread counts them and knows when too many wait.
  let signing = 0;
  const pool: PooledSignerDeps['pool'] = {
    size: client.signers,
    canAcceptWork: () => signing < MOST_SIGN_JOBS,
    run: async <T>(_class: unknown, _name: string, job: unknown): Promise<T> => {
      signing++;
      try {
        return (await client.sign(job as SignJob)) as T;
      } finally {
        signing--;
      }
    },
  };
  const signingThreads = new PooledSigner({ pool, crypto, hereUs: HERE_US });
  const spend = {
    client,
    options: options.spend,
    crypto,
    descriptors,
    signer,
    signingThreads,
    chance: createRandomSource(),
    nowSeconds: () => clock.nowSeconds(),
    log: (line: string) => log.info(line),
  };
  const ended: EndedCall[] = [];
  const active = new ActiveCommands();
  const links = new CallLinks({
    execute: (body, call, hooks) => executor.executeBody(body, call, hooks),
    askTemplate: async () => ({ code: RPC_CODE.INTERNAL_ERROR, text: 'this thread has no templates' }),
    onNews: () => {},
    onFault: (what, error) => log.error(`wallets: ${what} failed: ${stackOf(error)}`),
  });
  const linked = [NODE];
  const close = async (): Promise<void> => {
    clearInterval(reportTimer);
    clearInterval(weighing);
    scheduler.close();
    const failed = await wallets.close().then(() => null, textOf);
    post({ kind: 'ended', calls: ended.splice(0) });
    for (const front of linked) links.remove(front);
    init.client.port.close();
    post({ kind: 'closed', error: failed });
    port.close();
  };
  const onMessage = (message: ToWallets): void => {
    switch (message.kind) {
      case 'load':
        void load();
        break;
      case 'link':
        linked.push(message.front);
        links.add(message.front, message.link);
        break;
      case 'stopping':
        stopping.abort();
        break;
      case 'close':
        void close();
        break;
      case 'advance':
        scheduler.advance(message.seconds);
        break;
      case 'active': {
        const now = clock.monotonicMs();
        post({ kind: 'active', id: message.id, calls: active.list().map(({ method, startedMs }) => ({ method, ageMs: now - startedMs })) });
        break;
      }
    }
  };
  const wallets = await createWallets(options, {
    client,
    crypto,
    clock,
    descriptors,
    log,
    stopping: stopping.signal,
    onNames: (names) => post({ kind: 'wallets', names }),
    onFault: (name, error) => post({ kind: 'fault', name, text: operatorError(error) ?? stackOf(error) }),
    spend,
    settingsFile,
  });
  startResending(wallets, { scheduler, spend, log });
  const load = async (): Promise<void> => {
    try {
      await wallets.loadAtStart();
      // The node answers this after the messages about blocks that wallets still need, so pruning may begin.
      await client.stored();
      post({ kind: 'loaded' });
    } catch (error) {
      const words =
        error instanceof WalletError ? error.message.replace(/^Wallet (loading|file verification) failed\. /, '') : operatorError(error);
      post({ kind: 'failed', text: words ?? stackOf(error), refused: words !== null });
    }
  };
  const { signerCommand } = options;
  const context: WalletContext = {
    compat,
    params,
    crypto,
    clock,
    descriptors,
    recoverable: keyMath,
    signer,
    signingThreads,
    ...(signerCommand && { externalSigner: new ExternalSigner(signerCommand, params.name, createRunForJson(stopping.signal)) }),
    wallets,
    spend,
    client,
  };
  const executor = new CallExecutor(context, {
    runs: WALLET_RUNS,
    wallets: true,
    requests: { version2: init.version2 },
    active,
    warmup: () => null,
    onStart: (method, user) => {
      if (log.shows('rpc')) log.debug('rpc', `ThreadRPCServer method=${method} user=${user}`);
    },
    onCall: (method, seconds, code) => ended.push([method, seconds, code === 0]),
    onFault: (method, error) => log.error(`${method} failed: ${stackOf(error)}`),
  });
  const reportTimer = setInterval(() => {
    if (ended.length > 0) post({ kind: 'ended', calls: ended.splice(0) });
  }, REPORT_MS);
  reportTimer.unref();
  const weighing = setInterval(() => post({ kind: 'heap', bytes: getHeapStatistics().total_heap_size }), HEAP_MS);
  weighing.unref();
  void wallets.reloadWallets(init.again.names, init.again.why);
  links.add(NODE, init.node);
  // Messages were queued in the port until now.
  port.on('message', onMessage);
}

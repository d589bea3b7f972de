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
import { PooledSigner } from '../parallel/pooled-signer.js';
import { ActiveCommands, CallExecutor } from '../rpc/call-executor.js';
import type { WalletContext } from '../rpc/context/wallet.js';
import { RPC_CODE } from '../rpc/errors.js';
import { WALLET_RUNS } from '../rpc/wallet/runs.js';
import {
  createRandomSource,
  ExternalSigner,
  LinkedNodeClient,
  Resender,
  type SpendTools,
  WalletError,
  type WalletManager,
} from '../wallet/index.js';
import { operatorError } from './fault-advice.js';
import { createRunForJson } from './run-for-json.js';
import type { EndedCall, FromWallets, ToWallets, WalletInit } from './wallet-messages.js';
import { createWallets } from './wallets.js';

/** Interval in milliseconds between checks. */
const everyMs = 1000;

interface ResendingDeps {
  readonly scheduler: Scheduler;
  readonly spend: SpendTools;
  readonly log: Logger;
}

function startResending(wallets: WalletManager, { scheduler, spend, log }: ResendingDeps): void {
  let busy = false;
  const resender = new Resender({
    tools: spend,
    wallets: () => wallets.all,
    lastBlockSeconds: () => wallets.lastBlockSeconds,
  });
  scheduler.every(everyMs, () => {
    if (busy) return;
    busy = true;
    resender
      .tick()
      .catch((error: unknown) =>
        log.warn(`Could not resend wallet transactions: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(() => {
        busy = false;
      });
  });
}

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

/** The pool of the node thread, for signing jobs. This thread counts them and knows when too many wait. */
class NodePool {
  readonly size: number;
  readonly #client: LinkedNodeClient;
  #jobs = 0;

  constructor(client: LinkedNodeClient) {
    this.size = client.constants.signers;
    this.#client = client;
  }

  canAcceptWork(): boolean {
    return this.#jobs < MOST_SIGN_JOBS;
  }

  async run<T>(_class: unknown, _name: string, job: unknown): Promise<T> {
    this.#jobs++;
    try {
      return (await this.#client.sign(job as SignJob)) as T;
    } finally {
      this.#jobs--;
    }
  }
}

/** Opens the wallets and serves calls until the node thread ends the thread. */
export async function runWallets(init: WalletInit, port: MessagePort): Promise<void> {
  const tools = createTools(init, port);
  const { context, log, scheduler, stopping, post } = tools;
  const wallets = await createWallets(init.options, {
    ...context,
    log,
    stopping: stopping.signal,
    onNames: (names) => post({ kind: 'wallets', names }),
    onFault: (name, error) => post({ kind: 'fault', name, text: operatorError(error) ?? stackOf(error) }),
    settingsFile: init.settingsFile,
  });
  startResending(wallets, { scheduler, spend: context.spend, log });
  void wallets.reloadWallets(init.again.names, init.again.why);
  new WalletWorker(init, port, tools, wallets).start();
}

type Tools = ReturnType<typeof createTools>;

/** Creates what wallets and methods use, before there are wallets. */
function createTools(init: WalletInit, port: MessagePort) {
  const { options, compat, params } = init;
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
  const { facts, counters } = init.client;
  const client = new LinkedNodeClient({ facts, port: init.client.port, counters: new Int32Array(counters), hashes: crypto });
  const { descriptors: language, hardenedMark: inferredMark } = compat;
  const descriptors: DescriptorContext = { params, hashes: crypto, keys: keyMath, language, inferredMark };
  const signingThreads = new PooledSigner({ pool: new NodePool(client), crypto, hereUs: HERE_US });
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
  const { signerCommand } = options;
  const context = {
    compat,
    params,
    crypto,
    clock,
    descriptors,
    recoverable: keyMath,
    signer,
    signingThreads,
    ...(signerCommand && { externalSigner: new ExternalSigner(signerCommand, params.name, createRunForJson(stopping.signal)) }),
    spend,
    client,
  } satisfies Omit<WalletContext, 'wallets'>;
  return { post, log, stopping, scheduler: new Scheduler(new ListenerGuard(log)), context };
}

class WalletWorker {
  readonly #init: WalletInit;
  readonly #port: MessagePort;
  readonly #tools: Tools;
  readonly #wallets: WalletManager;
  readonly #active = new ActiveCommands();
  readonly #links: CallLinks;
  /** Numbers of the linked threads. */
  readonly #linked = [NODE];
  /** Finished calls that have not been reported. */
  readonly #ended: EndedCall[] = [];
  #timers: NodeJS.Timeout[] = [];

  constructor(init: WalletInit, port: MessagePort, tools: Tools, wallets: WalletManager) {
    this.#init = init;
    this.#port = port;
    this.#tools = tools;
    this.#wallets = wallets;
    const { context, log } = tools;
    const executor = new CallExecutor<WalletContext>(
      { ...context, wallets },
      {
        runs: WALLET_RUNS,
        wallets: true,
        requests: { version2: init.version2 },
        active: this.#active,
        warmup: () => null,
        onStart: (method, user) => {
          if (log.shows('rpc')) log.debug('rpc', `ThreadRPCServer method=${method} user=${user}`);
        },
        onCall: (method, seconds, code) => this.#ended.push([method, seconds, code === 0]),
        onFault: (method, error) => log.error(`${method} failed: ${stackOf(error)}`),
      },
    );
    this.#links = new CallLinks({
      execute: (body, call, hooks) => executor.executeBody(body, call, hooks),
      askTemplate: async () => ({ code: RPC_CODE.INTERNAL_ERROR, text: 'this thread has no templates' }),
      onNews: () => {},
      onFault: (what, error) => log.error(`wallets: ${what} failed: ${stackOf(error)}`),
    });
  }

  /** Starts to handle calls and messages. Messages were queued in the port until now. */
  start(): void {
    const { post } = this.#tools;
    this.#timers = [
      setInterval(() => {
        if (this.#ended.length > 0) this.#reportEnded();
      }, REPORT_MS),
      setInterval(() => post({ kind: 'heap', bytes: getHeapStatistics().total_heap_size }), HEAP_MS),
    ];
    for (const timer of this.#timers) timer.unref();
    this.#links.add(NODE, this.#init.node);
    this.#port.on('message', (message: ToWallets) => this.#onMessage(message));
  }

  #reportEnded(): void {
    this.#tools.post({ kind: 'ended', calls: this.#ended.splice(0) });
  }

  #onMessage(message: ToWallets): void {
    const { context, post, scheduler, stopping } = this.#tools;
    switch (message.kind) {
      case 'load':
        void this.#load();
        break;
      case 'link':
        this.#linked.push(message.front);
        this.#links.add(message.front, message.link);
        break;
      case 'stopping':
        stopping.abort();
        break;
      case 'close':
        void this.#close();
        break;
      case 'advance':
        scheduler.advance(message.seconds);
        break;
      case 'active': {
        const now = context.clock.monotonicMs();
        const calls = this.#active.list().map(({ method, startedMs }) => ({ method, ageMs: now - startedMs }));
        post({ kind: 'active', id: message.id, calls });
        break;
      }
    }
  }

  async #load(): Promise<void> {
    const { context, post } = this.#tools;
    try {
      await this.#wallets.loadAtStart();
      // The node answers this after the messages about blocks that wallets still need, so pruning may begin.
      await context.client.stored();
      post({ kind: 'loaded' });
    } catch (error) {
      const words =
        error instanceof WalletError ? error.message.replace(/^Wallet (loading|file verification) failed\. /, '') : operatorError(error);
      post({ kind: 'failed', text: words ?? stackOf(error), refused: words !== null });
    }
  }

  async #close(): Promise<void> {
    const { post, scheduler } = this.#tools;
    for (const timer of this.#timers) clearInterval(timer);
    scheduler.close();
    const failed = await this.#wallets.close().then(() => null, textOf);
    this.#reportEnded();
    for (const front of this.#linked) this.#links.remove(front);
    this.#init.client.port.close();
    post({ kind: 'closed', error: failed });
    this.#port.close();
  }
}

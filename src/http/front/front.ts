// Handles the requests of a front: checks address, method, path, and credentials in Core's order, then reads the body.
// Answers what it can by itself and sends the rest to the node thread. It knows no sockets (exchange.ts) and no ports
// (link/). This file connects all parts of a front, and is longer than most files for that reason.
import { getHeapStatistics } from 'node:v8';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import { createNativeHashes } from '../../crypto/native/hashes.js';
import { createKeyMath } from '../../crypto/native/key-math.js';
import { LoopLag } from '../../lib/loop-lag.js';
import type { FrontCounters } from '../../link/front-counters.js';
import type { FrontLink } from '../../link/front-link.js';
import type { FrontNews, PublishedTip, TakenBlock } from '../../link/messages.js';
import { MethodCounts } from '../../link/method-counts.js';
import { type SharedState, STATE_FLAG } from '../../link/shared-state.js';
import type { SlabReader } from '../../link/slab-ring.js';
import { follows } from '../../policy/compat.js';
import { METHODS } from '../../rpc/declare/methods.js';
import type { DispatchObserver } from '../../rpc/dispatch.js';
import { type CallPlan, type FrontCall, RequestRouter, SUBMISSIONS, type ThreadPlan } from '../../rpc/front/request-router.js';
import { LONG_BODY_BYTES } from '../../rpc/wire/request.js';
import { TemplateView } from '../../template/view/template-view.js';
import type { HttpOptions } from '../options.js';
import { AddressFilter, isLoopback, MethodFilter } from './access.js';
import { Authenticator } from './auth.js';
import type { BodyHandler, Exchange, ExchangeOwner } from './exchange.js';
import { FanOut, SLICED_BYTES } from './fan-out.js';
import { errorPage, TYPE_DEFAULT, TYPE_JSON, TYPE_PAGE } from './pages.js';
import { CACHE_RELEASE, isRestTarget, NO_STORE, RestFront, type RestReply } from './rest.js';
import { scanMethod } from './scan-method.js';
import { SocketQuota } from './socket-quota.js';
import { TemplateExchange } from './template-exchange.js';
import { templateState } from './template-state.js';
import { STREAM_PATH, TemplateStreams } from './template-stream.js';
import { WrongPasswords } from './wrong-passwords.js';

/** Dependencies of a front. */
export interface FrontDeps {
  readonly options: HttpOptions;
  readonly params: ChainParams;
  readonly startedSeconds: number;
  readonly state: SharedState;
  readonly counters: FrontCounters;
  readonly slabs: SlabReader;
  readonly link: FrontLink;
  readonly tip: PublishedTip;
  readonly warmup: string | null;
  /** Raises (true) or lowers (false) the priority of this thread. */
  readonly urgency: (urgent: boolean) => void;
}

// Interval at which the figures of calls that this front answered are sent to the node thread, for /metrics.
const REPORT_MS = 1000;

/** Most different causes of refusals that are logged. Causes with an error text of the TLS library could be many. */
const MOST_CAUSES = 64;

// Most bytes of bodies that are being received, as a multiple of the largest body.
const BODIES_AT_ONCE = 4;

const ONLY_POST = 'JSONRPC server handles only POST requests';
const QUEUE_FULL = 'Work queue depth exceeded';
const HANDLED_METHODS = new Set(['POST', 'GET', 'HEAD', 'PUT']);

/** A received body. */
interface Received {
  readonly body: Uint8Array;
  /** True if the connection owns the bytes: they are valid only during this event-loop task. */
  readonly shared: boolean;
  /** True if the body seems to submit a block or header. */
  readonly submits: boolean;
  /** Block that was taken out of the body. */
  readonly block: TakenBlock | null;
}

export class Front {
  readonly #deps: FrontDeps;
  readonly #auth: Authenticator;
  readonly #addresses: AddressFilter;
  readonly #methods: MethodFilter;
  readonly #router: RequestRouter;
  readonly #view: TemplateView;
  readonly #wrongPasswords: WrongPasswords;
  readonly #sockets: SocketQuota;
  readonly #fanOut: FanOut;
  /** Handles REST requests; null without -rest. */
  readonly #rest: RestFront | null;
  readonly #streams = new TemplateStreams(() => this.#view.snapshot());
  /** Functions for all exchanges of this front. */
  readonly owner: ExchangeOwner;
  readonly #counts = new MethodCounts();
  /** Link to the wallets' thread; null until it runs, and without wallets. */
  wallets: FrontLink | null = null;
  readonly #reporting: NodeJS.Timeout;
  readonly #lag = new LoopLag();
  #tip: PublishedTip;
  #warmup: string | null;
  #open = 0;
  #bodyBytes = 0;
  /**
   * True once a disallowed address has connected. Until then the address check per request is skipped, which costs 20 %
   * of a small call.
   */
  #sawDisallowed = false;
  #onIdle: (() => void) | null = null;
  /** Causes of refusals that were logged. */
  readonly #loggedCauses = new Set<string>();

  constructor(deps: FrontDeps) {
    this.#deps = deps;
    this.#tip = deps.tip;
    this.#warmup = deps.warmup;
    // The clients of a crowd need more processor time than sending does. On a small machine a front with raised
    // priority would keep them from reading.
    this.#fanOut = new FanOut((crowded) => deps.urgency(!crowded));
    this.#auth = new Authenticator(deps.options.credentials);
    this.#addresses = new AddressFilter(deps.options.allow);
    this.#methods = new MethodFilter(deps.options.whitelist);
    const warn = (text: string): void => deps.link.postNews({ news: 'notice', level: 'warn', text });
    this.#wrongPasswords = new WrongPasswords(warn);
    this.#sockets = new SocketQuota(deps.options.sockets, warn);
    const { state, params } = deps;
    const { compat } = deps.options;
    const hashes = createNativeHashes();
    this.#router = new RequestRouter(
      {
        params,
        hashes,
        descriptors: { params, hashes, keys: createKeyMath(), language: compat.descriptors },
        snapshot: () => this.#freshTip(),
        stateVersion: () => state.stateVersion,
        nowSeconds: () => state.nowSeconds(),
        startedSeconds: deps.startedSeconds,
        wallets: deps.options.wallets,
        compat,
        warmup: () => this.#warmingUp(),
      },
      this.#observer(),
      { version2: deps.options.jsonRpc2 },
    );
    this.#view = new TemplateView({
      state: templateState(state),
      signet: deps.params.signetChallenge !== null,
      timers: { monotonicMs: () => performance.now(), after: timerAfter, soon: (run) => void setImmediate(run) },
      tipHex: () => this.#freshTip().hashHex,
      drain: () => deps.link.drain(),
      requestTemplate: (done) => deps.link.askTemplate(done),
      lease: (place) => deps.slabs.lease(place),
      release: (place) => deps.slabs.release(place),
    });
    const { rest } = deps.options;
    this.owner = {
      reserve: (sizeBytes, submits) => this.#reserve(sizeBytes, submits),
      refuse: (exchange, status) => {
        if (status === 413) this.#tooLarge(exchange);
        else this.#queueFull(exchange);
      },
      maySecret: (first) => !SUBMISSIONS.has(scanMethod(first)),
      ended: (exchange) => this.#ended(exchange),
    };
    this.#rest =
      rest === null
        ? null
        : new RestFront({
            compat,
            blocksDir: rest,
            magic: params.magic,
            link: deps.link,
            warmup: () => this.#warmingUp(),
            readBody: (exchange, limit, done) => exchange.readBody(limit, (_, body) => done(body)),
            send: (exchange, reply) => this.#sendRest(exchange, reply),
            refuse: (exchange) => this.#queueFull(exchange),
            fault: (error) =>
              deps.link.postNews({ news: 'notice', level: 'warn', text: `REST: ${error instanceof Error ? error.message : error}` }),
          });
    this.#reporting = setInterval(() => {
      deps.counters.set('loopLagMs', this.#lag.mostMs());
      deps.counters.set('heapBytes', getHeapStatistics().total_heap_size);
      deps.link.report(this.#counts);
      deps.counters.set('heldBytes', this.#fanOut.heldBytes);
      deps.counters.set('readersCutOff', this.#fanOut.cutOff);
    }, REPORT_MS);
    this.#reporting.unref();
  }

  /** Handles news that concern replies. start-front.ts handles all other news. */
  onNews(news: FrontNews): void {
    switch (news.news) {
      case 'tip':
        this.#tip = news.tip;
        this.#view.onTip(news.tip.hashHex);
        // The first template of the tip may have arrived before the tip. Send it to the streams now.
        this.#streams.published();
        break;
      case 'template':
        this.#view.onTemplate(news.facts, news.slab);
        this.#streams.published();
        break;
      case 'slab':
        this.#deps.slabs.update(news.slab);
        break;
      case 'evict':
        this.#evict(news.index);
        break;
      case 'warmup':
        this.#warmup = news.text;
        break;
      default:
    }
    this.#countWaiters();
  }

  /**
   * Answers parked calls, and calls `idle` when no request is open any more. The flag SHUTTING_DOWN of the shared state
   * must be set before.
   */
  drain(idle: () => void): void {
    this.#view.stop();
    this.#streams.close();
    this.#countWaiters();
    if (this.#open === 0) idle();
    else this.#onIdle = idle;
  }

  /** Stops the timers. */
  close(): void {
    clearInterval(this.#reporting);
    this.#lag.close();
    this.#deps.link.report(this.#counts);
  }

  /**
   * Counts a new socket.
   * @param address of the client, 4 or 16 bytes
   * @returns whether the socket may stay open; if not, the caller closes it
   */
  onOpened(address: Uint8Array): boolean {
    if (!this.#sockets.opened()) return false;
    this.#deps.counters.add('connectionsOpen', 1);
    if (!isLoopback(address) && !this.#addresses.allows(address)) this.#sawDisallowed = true;
    return true;
  }

  /** Counts a closed socket. A socket that onOpened() refused must be reported before any other. */
  onClosed(): void {
    if (!this.#sockets.closed()) return;
    this.#deps.counters.add('connectionsOpen', -1);
  }

  /**
   * Logs why a client was refused. Each cause is logged once, so that clients cannot fill the log.
   * @param cause such as "a head with a NUL byte"
   */
  logRefusal(address: string, cause: string): void {
    if (this.#loggedCauses.has(cause) || this.#loggedCauses.size >= MOST_CAUSES) return;
    this.#loggedCauses.add(cause);
    const text = `Refused an HTTP client at ${address}: ${cause}. Further refusals with this cause are not logged.`;
    this.#deps.link.postNews({ news: 'notice', level: 'warn', text });
  }

  /** Answers a request whose head or body is malformed. */
  refuse(exchange: Exchange, cause: string): void {
    this.logRefusal(exchange.remoteAddressText, cause);
    if (exchange.method === '') this.#count();
    this.#page(exchange, 400);
  }

  #count(): void {
    this.#open++;
    this.#deps.counters.add('requests');
    this.#deps.counters.add('exchangesOpen');
  }

  /** Handles a request. */
  handle(exchange: Exchange): void {
    this.#count();
    if (this.#deps.state.has(STATE_FLAG.LOG_HTTP))
      this.#detail('http', `Received a ${exchange.method} request for ${exchange.target} from ${exchange.remoteAddressText}`);
    const { bodyLimit } = this.#deps.options;
    if (!this.#admit(exchange, bodyLimit)) return;
    if (this.#rest !== null && isRestTarget(exchange.target)) {
      this.#rest.handleRequest(exchange);
      return;
    }
    const auth = this.#auth.check(exchange.authorization);
    if (auth.kind === 'missing') this.#unauthorized(exchange);
    else if (auth.kind === 'wrong') {
      this.#deps.counters.add('refusedAuth');
      this.#wrongPasswords.delayReply(exchange, exchange.remoteAddressText, () => this.#unauthorized(exchange));
    } else if (isStream(exchange)) this.#openStream(exchange, auth.user);
    else {
      exchange.user = auth.user;
      exchange.submits = this.#maySubmit(auth.user);
      exchange.readBody(bodyLimit, this.#onBody);
    }
  }

  /** Opens a template stream. The user needs the permission for getblocktemplate. */
  #openStream(exchange: Exchange, user: string): void {
    const allowed = this.#methods.allowed(user);
    if (allowed !== null && !allowed.has('getblocktemplate')) exchange.reply(403, TYPE_DEFAULT, '');
    else if (this.#warmingUp() !== null) this.#page(exchange, 503);
    else {
      this.#streams.open(exchange);
      exchange.park();
    }
  }

  /** Checks everything that the head decides before the credentials. @returns false if the request was answered */
  #admit(exchange: Exchange, bodyLimit: number): boolean {
    const { method, target } = exchange;
    const { compat } = this.#deps.options;
    if (exchange.contentLength > bodyLimit) this.#tooLarge(exchange);
    else if (this.#sawDisallowed && !this.#addresses.allows(exchange.remoteAddress)) {
      this.#deps.counters.add('refusedAddress');
      this.logRefusal(exchange.remoteAddressText, 'its address is not in -rpcallowip');
      exchange.reply(403, TYPE_DEFAULT, '');
    } else if (this.#deps.state.has(STATE_FLAG.SHUTTING_DOWN)) this.#page(exchange, 503);
    else if (method === 'DELETE') exchange.reply(405, TYPE_DEFAULT, '');
    else if (!HANDLED_METHODS.has(method)) this.#page(exchange, 501);
    else if (isStream(exchange)) return true;
    else if (this.#rest !== null && isRestTarget(target)) return true;
    else if (target !== '/' && !target.startsWith('/wallet/'))
      exchange.reply(404, TYPE_DEFAULT, '', follows(compat, CACHE_RELEASE) ? NO_STORE : undefined);
    else if (method !== 'POST') exchange.reply(405, TYPE_DEFAULT, ONLY_POST);
    else return true;
    return false;
  }

  readonly #onBody: BodyHandler = (exchange, body, shared) => {
    const { user } = exchange;
    try {
      const allowed = this.#methods.allowed(user);
      const call: FrontCall = { user, uri: exchange.target, allowed };
      const known = this.#router.knownReply(body, call);
      if (known !== null) {
        this.#deliver(exchange, 200, known);
        return;
      }
      const read = this.#received(body, shared);
      const plan = this.#router.plan(read.body, call);
      if (plan === null) void this.#readLong(exchange, read, call);
      else this.#executePlan(exchange, plan, read);
    } catch (error) {
      this.#failed(exchange, error);
    }
  };

  /** Takes the block out of a large submitblock. */
  #received(body: Uint8Array, shared: boolean): Received {
    const method = body.byteLength < LONG_BODY_BYTES ? '' : scanMethod(body);
    const taken = method === 'submitblock' ? this.#router.withoutBlock(body) : null;
    return taken === null ? { body, shared, submits: SUBMISSIONS.has(method), block: null } : { ...taken, shared: false, submits: true };
  }

  /** Reads the rest of a large body in slices. */
  async #readLong(exchange: Exchange, { body, shared, submits }: Received, call: FrontCall): Promise<void> {
    // A body that arrived in one piece has reserved no memory yet.
    const copiedBytes = shared ? body.byteLength : 0;
    if (!this.#reserve(copiedBytes, exchange.submits)) {
      this.#queueFull(exchange);
      return;
    }
    const own = shared ? new Uint8Array(body) : body;
    if (shared && !submits) body.fill(0);
    try {
      // A block is processed even if its client has disconnected.
      const plan = await this.#router.planLong(own, call, () => exchange.disconnected && !submits);
      if (plan !== null) this.#executePlan(exchange, plan, { body: own, shared: false, submits, block: null });
    } catch (error) {
      this.#failed(exchange, error);
    } finally {
      this.#bodyBytes -= copiedBytes;
    }
  }

  #failed(exchange: Exchange, error: unknown): void {
    this.#deps.link.postNews({ news: 'notice', level: 'error', text: `request failed: ${error instanceof Error ? error.stack : error}` });
    exchange.reply(500, TYPE_DEFAULT, 'Unhandled request');
  }

  /** Executes a CallPlan. */
  #executePlan(exchange: Exchange, plan: CallPlan, read: Received): void {
    switch (plan.kind) {
      case 'reply':
        this.#deliver(exchange, plan.status, plan.body);
        break;
      case 'forbidden':
        exchange.reply(403, TYPE_DEFAULT, '');
        break;
      case 'node':
      case 'wallet':
        this.#toThread(exchange, plan, read);
        break;
      case 'template': {
        const begun = performance.now();
        this.#logCall('getblocktemplate', exchange.user);
        const method = plan.request.longPollId === null ? 'getblocktemplate' : 'getblocktemplate_longpoll';
        const done = (failed: boolean) => this.#counts.add(method, (performance.now() - begun) / 1000, failed);
        this.#view.call(new TemplateExchange(exchange, plan, this.#fanOut, done));
        if (plan.request.longPollId !== null) exchange.park();
        this.#countWaiters();
        break;
      }
    }
  }

  /** Sends a call to the thread that runs it. */
  #toThread(exchange: Exchange, plan: ThreadPlan, { body, shared, block }: Received): void {
    const { kind, method, secret, index, cacheReply } = plan;
    const waits = METHODS.get(method)?.waits === true;
    // Until the wallets' thread runs, calls of wallets go to the node thread.
    const link = (kind === 'wallet' ? this.wallets : null) ?? this.#deps.link;
    const submission = SUBMISSIONS.has(method);
    // A submission that was read in slices runs even if its client has disconnected.
    if (exchange.disconnected && !submission) return;
    const priority = submission || secret;
    const { user, target: uri } = exchange;
    const id = link.call(
      { user, uri, method, body, index, block, shared, priority, submission, waits, plain: !secret },
      (status, reply) => {
        if (cacheReply && status === 200) cacheReply(reply);
        this.#deliver(exchange, status, reply);
      },
    );
    if (secret) body.fill(0);
    if (id === 0) {
      this.#queueFull(exchange);
      return;
    }
    // A block is taken even if its client does not wait for the verdict.
    if (!submission) exchange.onDisconnect = () => link.cancel(id);
    if (waits) exchange.park();
  }

  #deliver(exchange: Exchange, status: number, body: string | Uint8Array): void {
    if (this.#deps.state.has(STATE_FLAG.SHUTTING_DOWN)) exchange.closeAfterReply();
    if (body.length > SLICED_BYTES && status === 200) {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      this.#deps.counters.add('repliesSliced');
      this.#fanOut.send(exchange, TYPE_JSON, { parts: [bytes], slabIndex: -1, release() {} });
      return;
    }
    const left = exchange.reply(status, body.length === 0 ? TYPE_DEFAULT : TYPE_JSON, body);
    // Copy: the link owns the bytes.
    if (left > 0) this.#fanOut.adopt(exchange, typeof body === 'string' ? body : new Uint8Array(body), left);
  }

  #sendRest(exchange: Exchange, { status, type, body, extra }: RestReply): void {
    if (this.#deps.state.has(STATE_FLAG.SHUTTING_DOWN)) exchange.closeAfterReply();
    const bytes = body.length === 1 ? body[0] : null;
    // Do not send a reply to HEAD in slices, because it must not have a body.
    if (status === 200 && exchange.method !== 'HEAD' && (bytes === null || bytes.length > SLICED_BYTES)) {
      this.#deps.counters.add('repliesSliced');
      this.#fanOut.send(exchange, type, { parts: body, slabIndex: -1, release() {} }, extra);
      return;
    }
    const whole = bytes ?? Buffer.concat(body);
    const left = exchange.reply(status, type, whole, extra);
    if (left > 0) this.#fanOut.adopt(exchange, whole, left);
  }

  #queueFull(exchange: Exchange): void {
    this.#deps.counters.add('refusedQueueFull');
    exchange.reply(500, TYPE_DEFAULT, QUEUE_FULL);
  }

  /**
   * Reserves memory for bodies that arrive in pieces, within a limit for all of them together. Users that may submit
   * blocks have the same amount again, so that other clients cannot use up the memory for a block.
   */
  #reserve(sizeBytes: number, submits: boolean): boolean {
    const most = (submits ? 2 : 1) * BODIES_AT_ONCE * this.#deps.options.bodyLimit;
    if (this.#bodyBytes + sizeBytes > most) return false;
    this.#bodyBytes += sizeBytes;
    return true;
  }

  #maySubmit(user: string): boolean {
    const allowed = this.#methods.allowed(user);
    if (allowed === null) return true;
    for (const method of SUBMISSIONS) if (allowed.has(method)) return true;
    return false;
  }

  #tooLarge(exchange: Exchange): void {
    this.logRefusal(exchange.remoteAddressText, `a body of more than ${this.#deps.options.bodyLimit} bytes`);
    this.#page(exchange, 413);
  }

  #page(exchange: Exchange, status: number): void {
    exchange.closeAfterReply();
    exchange.reply(status, TYPE_PAGE, errorPage(status));
  }

  #unauthorized(exchange: Exchange): void {
    exchange.reply(401, TYPE_DEFAULT, '', ['WWW-Authenticate', 'Basic realm="jsonrpc"']);
  }

  #ended(exchange: Exchange): void {
    this.#open--;
    this.#bodyBytes -= exchange.reservedBytes;
    this.#deps.counters.add('exchangesOpen', -1);
    if (exchange.disconnected) {
      this.#deps.counters.add('abortedByClient');
      this.#countWaiters();
    }
    if (this.#open === 0 && this.#onIdle) {
      const idle = this.#onIdle;
      this.#onIdle = null;
      // Wait for one tick, so that the last reply is sent before idle() closes the sockets.
      setImmediate(idle);
    }
  }

  /**
   * Returns the text of the current start phase; null after the start. All fronts change at the same moment, so that
   * no front refuses a call that another front already answers.
   */
  #warmingUp(): string | null {
    if (this.#warmup === null) return null;
    const started = this.#deps.state.has(STATE_FLAG.STARTED);
    this.#deps.link.drain();
    if (started) this.#warmup = null;
    return this.#warmup;
  }

  /**
   * Returns the newest tip. The node thread posts the facts of a tip before it increments the epoch. So a newer epoch
   * means that its facts wait in this front's port.
   */
  #freshTip(): PublishedTip {
    if (this.#deps.state.epoch !== this.#tip.epoch) this.#deps.link.drain();
    return this.#tip;
  }

  #evict(slabIndex: number): void {
    const count = this.#fanOut.evict(slabIndex) + this.#streams.evict(slabIndex);
    if (count === 0) return;
    this.#deps.counters.add('evictedReaders', count);
    this.#deps.link.postNews({ news: 'evicted', count });
  }

  /** Logs a line of a category that is on. The number of lines has no limit, because the operator enabled the category. */
  #detail(category: 'http' | 'rpc', text: string): void {
    this.#deps.link.postNews({ news: 'detail', category, text });
  }

  /** Logs a call that this front answers, as the node thread does for its own calls. */
  #logCall(method: string, user: string): void {
    if (this.#deps.state.has(STATE_FLAG.LOG_RPC)) this.#detail('rpc', `ThreadRPCServer method=${method} user=${user}`);
  }

  #countWaiters(): void {
    this.#deps.counters.set('waiters', this.#view.waiters);
  }

  #observer(): DispatchObserver {
    // Methods of a front are synchronous, so only one call runs at a time.
    let begunMs = 0;
    return {
      started: (method, call) => {
        begunMs = performance.now();
        this.#logCall(method, call.user);
        return 0;
      },
      finished: (_token, method, code) => this.#counts.add(method, (performance.now() - begunMs) / 1000, code !== 0),
    };
  }
}

function timerAfter(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

function isStream({ method, target }: Exchange): boolean {
  return method === 'GET' && (target === STREAM_PATH || target.startsWith(`${STREAM_PATH}?`));
}

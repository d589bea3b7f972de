// Handles the requests of a front in five steps: admit, authenticate, read, route, reply. Each has a file. This file
// connects them with the templates and the figures of a front. It knows no sockets (exchange.ts) and no ports (link/).
import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import { LoopLag } from '../../lib/loop-lag.js';
import type { FrontCounters } from '../../link/front-counters.js';
import type { FrontLink } from '../../link/front-link.js';
import type { FrontNews, PublishedTip } from '../../link/messages.js';
import { MethodCounts } from '../../link/method-counts.js';
import { type SharedState, STATE_FLAG } from '../../link/shared-state.js';
import type { SlabReader } from '../../link/slab-ring.js';
import { RenderPool } from '../../parallel/render-pool.js';
import { methodsOf } from '../../rpc/declare/methods.js';
import type { DispatchObserver } from '../../rpc/dispatch.js';
import type { KnownReplies } from '../../rpc/front/known-replies.js';
import { RequestRouter, type TemplatePlan } from '../../rpc/front/request-router.js';
import type { ReadResult } from '../../rpc/reads/read-job.js';
import { createJobRunner } from '../../rpc/reads/render-job.js';
import { TemplateView } from '../../template/view/template-view.js';
import type { HttpOptions } from '../options.js';
import { Admission } from './admit.js';
import { Authentication } from './authenticate.js';
import { createDecodeContext } from './decode-context.js';
import type { Exchange, ExchangeOwner } from './exchange.js';
import { FanOut } from './fan-out.js';
import { Published } from './published.js';
import { BodyIntake } from './read.js';
import { Replies } from './reply.js';
import { RestFront } from './rest.js';
import { CallRoutes } from './route.js';
import { StoredReads } from './stored-reads.js';
import { TemplateExchange } from './template-exchange.js';
import { templateState } from './template-state.js';
import { TemplateStreams } from './template-stream.js';

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

export class Front {
  readonly #deps: FrontDeps;
  readonly #published: Published;
  readonly #replies: Replies;
  /** Step 1. It also counts sockets. */
  readonly admission: Admission;
  readonly #authentication: Authentication;
  readonly #bodies: BodyIntake;
  readonly #reads: StoredReads;
  readonly #routes: CallRoutes;
  readonly #view: TemplateView;
  /** Handles REST requests; null without -rest. */
  readonly #rest: RestFront | null;
  readonly #streams = new TemplateStreams(() => this.#view.snapshot());
  readonly #counts = new MethodCounts();
  /** Link to the wallets' thread; null until it runs, and without wallets. */
  wallets: FrontLink | null = null;
  readonly #reporting: NodeJS.Timeout;
  readonly #lag = new LoopLag();
  #open = 0;
  #onIdle: (() => void) | null = null;

  constructor(deps: FrontDeps) {
    const { options, state, counters, link } = deps;
    this.#deps = deps;
    this.#published = new Published(state, link, deps.tip, deps.warmup);
    // The clients of a crowd need more processor time than sending does. On a small machine a front with raised
    // priority would keep them from reading.
    const fanOut = new FanOut((crowded) => deps.urgency(!crowded));
    this.#replies = new Replies(state, counters, fanOut, options.compat);
    const warn = (text: string): void => link.postNews({ news: 'notice', level: 'warn', text });
    this.admission = new Admission(options, state, counters, this.#replies, warn);
    this.#authentication = new Authentication(options, counters, this.#replies, warn);
    this.#bodies = new BodyIntake(options.bodyLimit, this.admission, this.#replies, (exchange) => this.#ended(exchange));
    this.#view = this.#newView();
    this.#reads = this.#newReads();
    const router = this.#newRouter();
    this.#routes = new CallRoutes({
      router,
      bodies: this.#bodies,
      replies: this.#replies,
      reads: this.#reads,
      node: link,
      wallets: () => this.wallets,
      template: (exchange, plan) => this.#answerTemplate(exchange, plan),
    });
    this.#rest = options.rest ? this.#newRest(router.known) : null;
    this.#reporting = setInterval(() => {
      counters.set('loopLagMs', this.#lag.mostMs());
      counters.set('heapBytes', getHeapStatistics().total_heap_size);
      link.report(this.#counts);
      counters.set('heldBytes', fanOut.heldBytes);
      counters.set('readersCutOff', fanOut.cutOff);
    }, REPORT_MS);
    this.#reporting.unref();
  }

  #newRouter(): RequestRouter {
    const { params, state, options, startedSeconds } = this.#deps;
    const { compat } = options;
    const context = Object.assign(createDecodeContext(params, compat), {
      snapshot: () => this.#published.freshTip(),
      stateVersion: () => state.stateVersion,
      blocksVersion: () => state.blocksVersion,
      nowSeconds: () => state.nowSeconds(),
      startedSeconds,
      methods: methodsOf(options.wallets, compat),
      warmup: () => this.#published.warmingUp(),
    });
    return new RequestRouter(context, this.#observer(), { version2: options.jsonRpc2 });
  }

  #newView(): TemplateView {
    const { params, state, link, slabs } = this.#deps;
    return new TemplateView({
      state: templateState(state),
      signet: params.signetChallenge !== null,
      timers: { monotonicMs: () => performance.now(), after: timerAfter, soon: (run) => void setImmediate(run) },
      tipHex: () => this.#published.freshTip().hashHex,
      drain: () => link.drain(),
      requestTemplate: (done) => link.askTemplate(done),
      lease: (place) => slabs.lease(place),
      release: (place) => slabs.release(place),
    });
  }

  #newReads(): StoredReads {
    const { params, options, link } = this.#deps;
    const log = (text: string): void => link.postNews({ news: 'notice', level: 'info', text });
    const threads = Math.max(1, Math.ceil(availableParallelism() / options.fronts));
    const pool = new RenderPool<ReadResult>({ threads, workerData: { params, compat: options.compat }, warn: log });
    let run: ReturnType<typeof createJobRunner> | undefined;
    const render = (job: string): ReadResult => {
      run ??= createJobRunner(createDecodeContext(params, options.compat));
      return run(job);
    };
    const count = (method: string, seconds: number, failed: boolean): void => this.#counts.add(method, seconds, failed);
    return new StoredReads({ pool, render, replies: this.#replies, fronts: options.fronts, log, count });
  }

  #newRest(known: KnownReplies): RestFront {
    const { link, options } = this.#deps;
    return new RestFront({
      compat: options.compat,
      link,
      warmup: () => this.#published.warmingUp(),
      known,
      count: (method) => this.#counts.add(method, 0, false),
      readBody: (exchange, limit, done) => exchange.readBody(limit, (_, body) => done(body)),
      send: (exchange, reply) => this.#replies.sendRest(exchange, reply),
      refuse: (exchange) => this.#replies.sendQueueFull(exchange),
      read: (exchange, hole) => this.#reads.run(exchange, hole),
    });
  }

  /** Functions for all exchanges of this front. */
  get owner(): ExchangeOwner {
    return this.#bodies;
  }

  /** Handles news that concern replies. start-front.ts handles all other news. */
  onNews(news: FrontNews): void {
    switch (news.news) {
      case 'tip':
        this.#published.tip = news.tip;
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
        this.#published.warmup = news.text;
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

  /** Stops the timers and the render threads. */
  close(): void {
    void this.#reads.close();
    clearInterval(this.#reporting);
    this.#lag.close();
    this.#deps.link.report(this.#counts);
  }

  /** Answers a request whose head or body is malformed. */
  refuse(exchange: Exchange, cause: string): void {
    if (exchange.method === '') this.#count();
    this.admission.refuseMalformed(exchange, cause);
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
      this.#detail('http', `Received a ${exchange.method} request for ${exchange.uri} from ${exchange.remoteAddressText}`);
    const wanted = this.admission.admit(exchange);
    if (wanted === null) return;
    // REST needs no credentials.
    if (wanted === 'rest') this.#rest?.handleRequest(exchange);
    else if (!this.#authentication.authenticate(exchange)) return;
    else if (wanted === 'stream') this.#openStream(exchange);
    else this.#bodies.read(exchange, this.#routes.route);
  }

  /** Opens a template stream. The user needs the permission for getblocktemplate. */
  #openStream(exchange: Exchange): void {
    const { allowed } = exchange.call;
    if (allowed !== null && !allowed.has('getblocktemplate')) this.#replies.sendStatus(exchange, 403);
    else if (this.#published.warmingUp() !== null) this.#replies.sendPage(exchange, 503);
    else {
      this.#streams.open(exchange);
      exchange.park();
    }
  }

  #answerTemplate(exchange: Exchange, plan: TemplatePlan): void {
    const begun = performance.now();
    this.#logCall('getblocktemplate', exchange.call.user);
    const waits = plan.request.longPollId !== null;
    const method = waits ? 'getblocktemplate_longpoll' : 'getblocktemplate';
    const done = (failed: boolean) => this.#counts.add(method, (performance.now() - begun) / 1000, failed);
    this.#view.call(new TemplateExchange(exchange, plan, this.#replies.fanOut, done));
    if (waits) exchange.park();
    this.#countWaiters();
  }

  #ended(exchange: Exchange): void {
    this.#open--;
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

  #evict(slabIndex: number): void {
    const count = this.#replies.fanOut.evict(slabIndex) + this.#streams.evict(slabIndex);
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

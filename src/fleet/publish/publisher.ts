// The node's end of the fleet: publishes, signed, what the node thread sends to its fronts, and answers calls. For the
// node thread it is a front without sockets. It uses the same link, so the rest of the node does not know the broker.
// Runs on a thread of its own (workers/fleet.ts).

import { randomBytes } from 'node:crypto';
import { createDecodeContext } from '../../http/front/decode-context.js';
import type { FrontInit } from '../../http/front/start-front.js';
import { CallQuota } from '../../link/call-quota.js';
import { FrontCounters } from '../../link/front-counters.js';
import { FrontLink } from '../../link/front-link.js';
import { type FrontNews, type PublishedTip, wholeBody } from '../../link/messages.js';
import { SharedState, STATE_FLAG } from '../../link/shared-state.js';
import { type SlabInfo, SlabReader } from '../../link/slab-ring.js';
import { METHODS, methodsOf } from '../../rpc/declare/methods.js';
import { type CallPlan, type FrontCall, RequestRouter, SUBMISSIONS } from '../../rpc/front/request-router.js';
import { Broker } from '../broker.js';
import { encode, type FrontMessage, type NodeFact, type NodeMessage, readFrontMessage } from '../messages.js';
import type { FleetNodeOptions } from '../options.js';
import { pieceBytes } from '../pieces.js';
import { ShareOutlet } from '../shares.js';
import { Signer } from '../signed.js';
import { accountOf, Subjects } from '../subjects.js';
import { type AnswerCall, CallAnswers } from './call-answers.js';
import { PublishCounters } from './counters.js';
import { FoundInbox } from './found.js';
import { FoundBlockWatch } from './found-block-watch.js';
import { prepareStore, readFoundBlocks, type StoreMade } from './store.js';
import { TemplatePublications } from './templates.js';

/** Data with which the thread is started. */
export interface PublisherInit extends FrontInit {
  readonly remote: FleetNodeOptions;
}

/** Interval between queries of the list of loaded wallets. */
const WALLETS_MS = 1_000;
/** Interval between checks that the broker still has the store. */
const STORE_MS = 10_000;
const NO_PAYLOAD = 1 << 20;

export class Publisher {
  readonly #options: FleetNodeOptions;
  readonly #subjects: Subjects;
  readonly #state: SharedState;
  readonly #link: FrontLink;
  readonly #slabs: SlabReader;
  readonly #signer: Signer;
  readonly #figures: PublishCounters;
  readonly #templates: TemplatePublications;
  readonly #answers: CallAnswers;
  /** Readers of found blocks, by account. */
  readonly #found: ReadonlyMap<string, FoundInbox>;
  readonly #foundWatch: FoundBlockWatch;
  readonly #shares: ShareOutlet;
  #endFound: (() => void) | null = null;
  #store: StoreMade | null = null;
  #storeChecked = Promise.resolve();
  /** Last reason why the broker had no store; each reason is logged once. */
  #storeFault = '';
  /** One connection carries facts, calls and replies, the other templates, so that small messages do not wait behind large ones. */
  #small: Broker | null = null;
  #large: Broker | null = null;
  #tip: PublishedTip;
  /** The newest head, signed. */
  #head: Uint8Array | null = null;
  #wallets: readonly string[] = [];
  #warm = false;
  #stopping = false;
  #closed = false;
  readonly #abort = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(init: PublisherInit) {
    const { options, params, remote } = init;
    this.#options = remote;
    this.#subjects = new Subjects(remote.chain);
    this.#shares = new ShareOutlet(this.#subjects.share(remote.name));
    this.#state = new SharedState(init.state);
    this.#slabs = new SlabReader(init.slabControl, init.slabs as readonly SlabInfo[], init.leases);
    this.#signer = new Signer(remote.keyPem, remote.chain, remote.name, randomBytes(12).toString('hex'));
    this.#figures = new PublishCounters(remote.figures);
    this.#tip = init.tip;
    const quota = new CallQuota({ calls: options.workQueue, bytes: init.linkBytes }, new FrontCounters(init.counters));
    this.#link = new FrontLink(init.link, quota, (news) => this.#onNews(news));
    const router = new RequestRouter(
      Object.assign(createDecodeContext(params, options.compat), {
        snapshot: () => this.#freshTip(),
        nowSeconds: () => this.#state.nowSeconds(),
        startedSeconds: init.startedSeconds,
        methods: methodsOf(options.wallets, options.compat),
        warmup: () => null,
        stateVersion: () => 0,
        blocksVersion: () => 0,
      }),
      undefined,
      { version2: options.jsonRpc2 },
    );
    const plan = (body: Uint8Array, call: FrontCall): CallPlan | Promise<CallPlan | null> =>
      router.plan(body, call) ?? router.planLong(body, call, () => false);
    this.#answers = new CallAnswers({
      accounts: remote.accounts,
      plan,
      run: (call, done) => {
        const found = call.method === 'submitblock' ? this.#found.get(call.account) : undefined;
        return found ? found.submitDirect(call, done) : this.#run(call, done);
      },
      cancel: (number) => this.#link.cancel(number),
      pieceBytes: () => this.#small?.pieceBytes ?? pieceBytes(NO_PAYLOAD),
      epoch: () => this.#state.epoch,
      nowMs: () => performance.now(),
    });
    const inbox = (account: string): FoundInbox =>
      new FoundInbox(account, {
        plan,
        run: (call, done) => this.#run(call, done),
        onKnown: (hash) => this.#foundWatch.watchBlock(hash),
        log: (text) => this.notice('info', text),
        after: (ms, run) => void setTimeout(run, ms).unref(),
        nowMs: () => performance.now(),
      });
    const finders = remote.accounts.map(({ account }) => account).filter((account) => this.#answers.admits(account, 'submitblock'));
    this.#found = new Map(finders.map((account) => [account, inbox(account)]));
    this.#foundWatch = new FoundBlockWatch({
      callNode: (method, params, done) => this.#callNode(method, params, done),
      height: () => this.#tip.height,
      log: (text) => this.notice('info', text),
    });
    this.#templates = new TemplatePublications({
      lease: (place) => this.#slabs.lease(place),
      release: (place) => this.#slabs.release(place),
      head: (body, large) => this.#publishHead(body, large),
      piece: (number, body) => this.#publish(this.#large, this.#subjects.stored(this.#subjects.pieceKey(remote.name, number)), body),
      flushed: () => this.#flushed(this.#large),
      pieceBytes: () => this.#large?.pieceBytes ?? pieceBytes(NO_PAYLOAD),
      onFault: (error) => this.notice('error', `a template was not published: ${error instanceof Error ? error.stack : error}`),
    });
    this.#link.postNews({ news: 'ready' });
    this.#timers.push(setInterval(() => this.#beat(), remote.beatMs));
    this.#timers.push(setInterval(() => this.#checkStore(), STORE_MS));
    if (options.wallets) this.#timers.push(setInterval(() => this.#askWallets(), WALLETS_MS));
    void this.#connect().catch((error: Error) => {
      if (!this.#closed) this.notice('error', `fleet: ${error.message}`);
    });
  }

  /** Passes a call to the node thread. A call that may contain a secret goes over the port, in memory of its own. */
  #run(call: AnswerCall, done: (status: number, body: Uint8Array | string) => void): number {
    const submission = SUBMISSIONS.has(call.method);
    const waits = METHODS.get(call.method)?.waits === true;
    return this.#link.call({ ...call, shared: true, priority: submission || !call.plain, submission, waits }, (status, body) =>
      done(status, wholeBody(body)),
    );
  }

  notice(level: 'info' | 'warn' | 'error', text: string): void {
    if (!this.#closed) this.#link.postNews({ news: 'notice', level, text });
  }

  async #connect(): Promise<void> {
    const { name } = this.#options;
    const onError = (text: string): void => this.notice('warn', `fleet: ${text}`);
    const { signal } = this.#abort;
    const small = await Broker.connect(
      this.#options,
      `aditd ${name}`,
      { onChange: (on, server) => this.#onBroker(on, server), onError },
      signal,
    );
    const onLarge = (on: boolean): void => {
      if (on) this.#checkStore();
    };
    const large = await Broker.connect(this.#options, `aditd ${name} templates`, { onChange: onLarge, onError }, signal);
    if (this.#closed) {
      await Promise.all([small.close(), large.close()]);
      return;
    }
    this.#small = small;
    this.#large = large;
    small.subscribe(
      this.#subjects.call(name, '*'),
      (message) => this.#onMessage(accountOf(message.subject), message.data, message.reply ?? ''),
      (error) => onError(`the broker says: ${error.message}`),
    );
    this.#publishFact();
    this.#checkStore();
  }

  /** Creates missing parts of the store in the broker. Checks run one after another. */
  #checkStore(): void {
    this.#storeChecked = this.#storeChecked.then(() => this.#prepareStore()).catch(() => {});
  }

  async #prepareStore(): Promise<void> {
    const broker = this.#large;
    if (this.#closed || !broker?.connected) return;
    let made: StoreMade;
    try {
      made = await prepareStore(broker.nc, this.#subjects, this.#options.replicas);
    } catch (error) {
      const { message } = error as Error;
      if (!this.#closed && broker.connected && message !== this.#storeFault) {
        this.#storeFault = message;
        this.notice(
          'warn',
          `fleet: the broker does not store templates and found blocks: ${message}. Fronts that start late ask the nodes. Check that JetStream is enabled in the broker, and the permissions of this node.`,
        );
      }
      return;
    }
    this.#storeFault = '';
    const before = this.#store;
    this.#store = made;
    // A reader of the earlier stream would continue with its own sequence number and miss the first blocks of the new one.
    if (before !== null && before.foundStream !== made.foundStream) this.#endFound?.();
    if (before?.bucket !== made.bucket) await this.#templates.republish();
  }

  #onBroker(connected: boolean, server: string): void {
    this.notice(connected ? 'info' : 'warn', `fleet: ${connected ? 'connected to' : 'lost the connection to'} the broker ${server}`);
    if (!connected) return;
    this.#publishFact();
    void this.#templates.republish().catch(() => {});
  }

  #onNews(news: FrontNews): void {
    switch (news.news) {
      case 'tip':
        this.#tip = news.tip;
        this.#publishFact();
        for (const found of this.#found.values()) found.tipChanged();
        this.#foundWatch.checkAll();
        break;
      case 'template':
        this.#templates.add(news.facts, news.slab);
        break;
      case 'slab':
        this.#slabs.update(news.slab);
        break;
      case 'shares':
        void this.#publishShares(news.number, news.records);
        break;
      case 'alive':
        this.#link.postNews({ news: 'alive' });
        break;
      case 'drain':
        this.#stop();
        break;
      case 'close':
        this.#close();
        break;
      default:
    }
  }

  async #publishShares(number: number, records: Uint8Array): Promise<void> {
    const published = await this.#shares.publishShares(this.#small, records);
    if (!this.#closed) this.#link.postNews({ news: 'shares', number, published });
  }

  #freshTip(): PublishedTip {
    if (this.#state.epoch !== this.#tip.epoch) this.#link.drain();
    return this.#tip;
  }

  #onMessage(account: string, bytes: Uint8Array, reply: string): void {
    const message = readFrontMessage(bytes);
    if (message === null || !this.#answers.admits(account)) return;
    if (reply === '') return;
    const respond = (answer: NodeMessage): void => {
      const isLarge = answer.kind === 'result' && answer.of > 1;
      this.#publish(isLarge ? this.#large : this.#small, reply, encode(answer));
    };
    switch (message.kind) {
      case 'hello':
        respond({ kind: 'fact', bytes: this.#signer.publication('fact', encode(this.#fact(message.nonce))), head: this.#head });
        break;
      case 'refresh':
        this.#link.askTemplate((code, text) => respond({ kind: 'refreshed', serial: this.#templates.serial, code, text }));
        break;
      case 'template':
        this.#sendTemplate(message, respond);
        break;
      default:
        this.#answers.takeMessage(account, message, respond);
    }
  }

  #sendTemplate({ digestHex }: Extract<FrontMessage, { kind: 'template' }>, respond: (message: NodeMessage) => void): void {
    const bytes = this.#templates.packed(digestHex);
    if (bytes === null) {
      respond({ kind: 'unknown', id: digestHex });
      return;
    }
    const size = this.#small?.pieceBytes ?? pieceBytes(NO_PAYLOAD);
    const of = Math.max(1, Math.ceil(bytes.length / size));
    for (let at = 0; at < of; at++)
      respond({ kind: 'result', id: digestHex, status: 200, bytes: bytes.subarray(at * size, (at + 1) * size), at, of, epoch: 0 });
  }

  #fact(nonce: string): NodeFact {
    const state = this.#state;
    const { height, hashHex, difficulty, chainWorkHex, epoch } = this.#freshTip();
    const facts = this.#templates.newest;
    let flags = 0;
    for (const flag of FLAGS) if (state.has(flag)) flags |= flag;
    return {
      tip: { height, hashHex, difficulty, chainWorkHex },
      epoch,
      mempoolCounter: state.mempoolCounter,
      flags,
      connections: state.connections,
      mockSeconds: state.mockSeconds,
      clockMs: Date.now(),
      template: facts && {
        serial: this.#templates.serial,
        prevHashHex: facts.prevHashHex,
        coinbaseValue: facts.coinbaseValue,
        empty: facts.live?.empty ?? false,
      },
      ready: this.#warm,
      stopping: this.#stopping,
      wallets: this.#wallets,
      nonce,
    };
  }

  #beat(): void {
    this.#answers.expire();
    this.#count();
    if (!this.#warm && this.#state.has(STATE_FLAG.STARTED)) this.#warm = true;
    this.#readFound();
    this.#publishFact();
  }

  /** Reads the stream, beginning with the blocks that were found while this node was away. */
  #readFound(): void {
    if (!this.#warm || this.#stopping || this.#endFound !== null || !this.#large?.connected) return;
    let isEnded = false;
    let stop = (): void => {};
    this.#endFound = () => {
      isEnded = true;
      stop();
    };
    const takeFound = (subject: string, bytes: Uint8Array): void => this.#found.get(accountOf(subject))?.takeMessage(bytes);
    const ended = (): void => {
      this.#endFound = null;
    };
    const failed = (error: unknown): void =>
      this.notice('error', `fleet: a found block could not be processed: ${error instanceof Error ? error.stack : error}`);
    readFoundBlocks(this.#large.nc, this.#subjects, takeFound, ended, failed).then((end) => {
      stop = end;
      if (isEnded) end();
    }, ended);
  }

  #count(): void {
    const figures = this.#figures;
    figures.set('connected', Number(this.#small?.connected ?? false));
    figures.set('templates', this.#templates.published);
    figures.set('templateBytes', this.#templates.bytes);
    figures.set('callsUnderWay', this.#answers.running);
    figures.set('callsTaken', this.#answers.calls);
    figures.set('callsRefused', this.#answers.refused);
    figures.set(
      'foundBlocks',
      [...this.#found.values()].reduce((sum, { judged }) => sum + judged, 0),
    );
  }

  #publishFact(): void {
    if (!this.#small?.connected) return;
    this.#figures.add('facts');
    const body = this.#signer.publication('fact', encode(this.#fact('')));
    this.#publish(this.#small, this.#subjects.fact(this.#options.name), body);
  }

  #publishHead(head: Uint8Array, large: boolean): void {
    const body = this.#signer.publication('head', head);
    this.#head = body;
    this.#publish(large ? this.#large : this.#small, this.#subjects.stored(this.#subjects.headKey(this.#options.name)), body);
    // Publish a fact too, so that fronts that follow another node learn how much this template pays.
    this.#publishFact();
  }

  /** Drops messages while the broker is away. The newest ones are sent when it is back. */
  #publish(broker: Broker | null, subject: string, body: Uint8Array): void {
    broker?.publish(subject, body);
  }

  async #flushed(broker: Broker | null): Promise<void> {
    if (broker?.connected) await broker.nc.flush().catch(() => {});
  }

  /** Updates the list of wallets by the call listwallets, so that names are the same as in its reply. */
  #askWallets(): void {
    if (!this.#warm || this.#stopping) return;
    this.#callNode('listwallets', [], (result) => {
      const names = result as string[] | null;
      if (names === null || names.join('\n') === this.#wallets.join('\n')) return;
      this.#wallets = names;
      this.#publishFact();
    });
  }

  /** Makes a call of this thread's own. `done` gets null for an error. @returns 0 if too many calls are in progress */
  #callNode(method: string, params: readonly unknown[], done: (result: unknown) => void): number {
    const body = new Uint8Array(Buffer.from(JSON.stringify({ method, params, id: 0 })));
    const call = { user: 'fleet', uri: '/', method, body, shared: true, priority: false, submission: false, waits: false };
    return this.#link.call({ ...call, plain: true }, (status, reply) => {
      done(status === 200 ? (JSON.parse(Buffer.from(reply as Uint8Array).toString()) as { result: unknown }).result : null);
    });
  }

  /** Publishes first that this node stops, so that fronts follow another node. Then finishes the calls that have begun. */
  #stop(): void {
    this.#stopping = true;
    this.#endFound?.();
    this.#publishFact();
    this.#answers.stop(() => {
      void this.#flushed(this.#small).then(() => this.#link.postNews({ news: 'drained' }));
    });
  }

  #close(): void {
    this.#closed = true;
    this.#abort.abort();
    for (const timer of this.#timers) clearInterval(timer);
    this.#link.postNews({ news: 'closed' });
    this.#link.close();
    void Promise.all([this.#small?.close(), this.#large?.close()]).catch(() => {});
  }
}

const FLAGS = Object.values(STATE_FLAG);

/** Runs a publisher until the node thread closes it. */
export function startPublisher(init: PublisherInit): void {
  const publisher = new Publisher(init);
  const survive = (error: unknown): void => publisher.notice('error', `fleet: ${error instanceof Error ? error.stack : String(error)}`);
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
}

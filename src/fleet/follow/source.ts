// Takes the place of a node in a process of fronts. Follows the fleet's nodes over the broker, publishes the followed
// node's tip and templates to the front threads, and carries their calls. The front threads are the same as in aditd
// and know nothing about the broker.
import { randomBytes } from 'node:crypto';
import type { Hashes } from '../../crypto/crypto.js';
import type { Fronts } from '../../http/server.js';
import type { CallReply, ExecuteBody, RunHooks, RunningCallInfo } from '../../link/running-call.js';
import { type SharedState, STATE_FLAG } from '../../link/shared-state.js';
import type { SlabRing } from '../../link/slab-ring.js';
import type { Logger } from '../../log/logger.js';
import { RPC_CODE, RpcError } from '../../rpc/errors.js';
import type { TemplateFacts } from '../../template/facts.js';
import { Broker, jetstream, Kvm } from '../broker.js';
import {
  encode,
  type FrontMessage,
  type NodeFact,
  type NodeMessage,
  readFact,
  readHead,
  readNodeMessage,
  readPiece,
  type TemplateHead,
} from '../messages.js';
import type { FleetFrontOptions } from '../options.js';
import { type Publication, Verifier } from '../signed.js';
import { Subjects } from '../subjects.js';
import { Caller, newToken } from './caller.js';
import { Calls } from './calls.js';
import type { FleetFigures } from './figures.js';
import { FoundBlocks } from './found.js';
import { LightTemplates } from './light.js';
import { type FollowedNode, NodeChoice } from './node-choice.js';
import { ShareOutlet } from './shares.js';
import { TemplateIntake } from './templates.js';
import { TrustReports } from './trust-reports.js';

export interface SourceDeps {
  readonly state: SharedState;
  readonly slabs: SlabRing;
  readonly log: Logger;
  readonly hashes: Hashes;
  /** Highest target of the chain. */
  readonly powLimit: bigint;
  /** Called with every template after the fronts have it. @param transactions JSON array; null if there are none */
  onTemplate(facts: TemplateFacts, transactions: Uint8Array | null): void;
  /** Called once, when the first node is followed. */
  onReady(): void;
}

/** Interval of checks for silent nodes and calls. */
const CHECK_MS = 100;
/** Shortest time between two hello messages to a node whose run is new. */
const HELLO_MS = 250;
/** Longest wait for a template of the tip. */
const TEMPLATE_MS = 10_000;
const REQUEST_MS = 1_000;
/** Longest wait of a reply for the facts that precede it. The node may have died between the two. */
const FACTS_MS = 1_000;

/** State of a node beyond what the choice needs. */
interface Peer {
  readonly name: string;
  run: string;
  fact: number;
  headNumber: number;
  head: TemplateHead | null;
  epoch: number;
  /** The nonce that the node's next run has to sign. */
  nonce: string;
  greetedMs: number;
}

export class FleetSource {
  readonly #options: FleetFrontOptions;
  readonly #deps: SourceDeps;
  readonly #subjects: Subjects;
  readonly #verifier: Verifier;
  readonly #choice: NodeChoice;
  readonly #peers = new Map<string, Peer>();
  readonly #templates: TemplateIntake;
  readonly #calls: Calls;
  readonly #caller: Caller;
  readonly #found: FoundBlocks;
  readonly #light: LightTemplates;
  readonly #inbox = `_INBOX.${randomBytes(12).toString('hex')}`;
  #fronts: Fronts | null = null;
  #small: Broker | null = null;
  #large: Broker | null = null;
  #followed = '';
  #followedRun = '';
  #switches = 0;
  readonly #fetched = { store: 0, node: 0 };
  #pieces: { unsubscribe(): void } | null = null;
  #tipHex = '';
  #current: TemplateFacts | null = null;
  #currentFrom = { node: '', serial: 0 };
  #publications = 0;
  #listeners: (() => void)[] = [];
  #checkTimer: NodeJS.Timeout | null = null;
  #ready = false;
  readonly #abort = new AbortController();
  readonly #trust: TrustReports;
  readonly #shares: ShareOutlet;

  constructor(options: FleetFrontOptions, deps: SourceDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#subjects = new Subjects(options.chain);
    this.#shares = new ShareOutlet(this.#subjects.share(options.account));
    this.#trust = new TrustReports(
      options.nodes.map(({ name }) => name),
      options.chain,
      (text) => deps.log.warn(`fleet: ${text}`),
    );
    this.#verifier = new Verifier(new Map(options.nodes.map(({ name, publicKey }) => [name, publicKey])), options.chain);
    const names = options.nodes.map(({ name }) => name);
    this.#choice = new NodeChoice(options, names);
    for (const name of names) {
      this.#peers.set(name, {
        name,
        run: '',
        fact: 0,
        headNumber: 0,
        head: null,
        epoch: 0,
        nonce: '',
        greetedMs: Number.NEGATIVE_INFINITY,
      });
    }
    this.#templates = new TemplateIntake({
      slabs: deps.slabs,
      fetch: (node, head) => this.#fetch(node, head),
      publish: (facts, transactions, from) => this.#publishTemplate(facts, transactions, from),
      onFault: (text) => deps.log.warn(`fleet: ${text}`),
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    });
    this.#calls = new Calls({
      send: (node, id, body, isLarge) => this.#send(node, id, body, isLarge),
      pieceBytes: () => this.#small?.pieceBytes ?? 1 << 16,
      run: (node) => {
        const seen = this.#choice.node(node);
        return seen && this.#choice.isAlive(seen, performance.now()) ? seen.run : null;
      },
      nowMs: () => performance.now(),
    });
    const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    this.#light = new LightTemplates(deps.hashes, newToken);
    this.#found = new FoundBlocks({
      powLimit: deps.powLimit,
      store: (body, id) => this.#store(body, id),
      pieceBytes: () => this.#large?.pieceBytes ?? 1 << 16,
      after,
      onFault: (text) => deps.log.error(`fleet: ${text}`),
    });
    this.#caller = new Caller({
      found: this.#found,
      light: this.#light,
      calls: this.#calls,
      nodes: () => this.#choice.callable(performance.now()),
      followed: () => this.#followed,
      settled: (node, epoch) => this.#waitForFacts(node, epoch),
      after,
      nowMs: () => performance.now(),
      log: deps.log,
    });
  }

  /** Connects to the broker and starts to follow nodes. */
  async start(fronts: Fronts): Promise<void> {
    this.#fronts = fronts;
    const { log } = this.#deps;
    const onError = (text: string): void => log.warn(`fleet: ${text}`);
    const name = `adit-front ${this.#options.account}`;
    const { signal } = this.#abort;
    try {
      this.#small = await Broker.connect(this.#options, name, { onChange: (on, server) => this.#onBroker(on, server), onError }, signal);
      this.#large = await Broker.connect(this.#options, `${name} templates`, { onChange: () => {}, onError }, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    const onPublication = (message: { readonly data: Uint8Array }): void => this.#onPublication(message.data);
    this.#small.subscribe(this.#subjects.fact('*'), onPublication);
    this.#small.subscribe(this.#subjects.stored(this.#subjects.headKey('*')), onPublication);
    for (const broker of [this.#small, this.#large]) {
      broker.subscribe(`${this.#inbox}.${broker === this.#small ? 's' : 'l'}.*`, (message) => {
        // The broker replies with 503 if no node has subscribed.
        if (message.headers?.code === 503) this.#onNoResponder(message.subject);
        else this.#onAnswer(message.subject, message.data);
      });
    }
    this.#greetAll();
    this.#checkTimer = setInterval(() => this.#checkNodes(), CHECK_MS);
  }

  /** Figures for metrics and the status page. */
  figures(): FleetFigures {
    const now = performance.now();
    const { store, node } = this.#fetched;
    return {
      connected: this.#small?.connected ?? false,
      nodes: this.#choice.nodes.map((seen) => {
        const alive = this.#choice.isAlive(seen, now);
        const tipHex = seen.fact?.tip.hashHex ?? '';
        return {
          name: seen.name,
          alive,
          stopping: seen.fact?.stopping ?? false,
          followed: seen.name === this.#followed,
          height: seen.fact?.tip.height ?? 0,
          tipHex,
          differs: alive && tipHex !== this.#tipHex,
          silentMs: seen.fact === null ? -1000 : now - seen.lastFactMs,
          pays: seen.fact?.template?.coinbaseValue ?? 0,
        };
      }),
      switches: this.#switches,
      templates: { pieces: this.#templates.received - store - node, store, node },
      templateBytes: this.#templates.bytes,
      callsUnderWay: this.#calls.underWay,
      calls: this.#calls.ends,
      found: { stored: this.#found.stored, failed: this.#found.failed },
    };
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    if (this.#checkTimer) clearInterval(this.#checkTimer);
    await Promise.all([this.#small?.close(), this.#large?.close()]).catch(() => {});
  }

  /** Runs a body for a front thread. */
  readonly execute: ExecuteBody = (body: Uint8Array, call: RunningCallInfo, hooks: RunHooks): Promise<CallReply> =>
    this.#caller.execute(body, call, hooks);

  /**
   * Submits a block, given as bytes, to every node.
   * @returns the refusal in BIP-0022's words; null if a node accepted it
   */
  submitBlock(bytes: Uint8Array, user: string): Promise<string | null> {
    return this.#caller.submitBlock(bytes, user);
  }

  /**
   * Publishes records of shares (stratum/codec/share-record.ts).
   * @returns false if the broker may not have them
   */
  publishShares(records: Uint8Array): Promise<boolean> {
    return this.#shares.publishShares(this.#small, records);
  }

  /** Returns a template of the tip. Requests one from the followed node where templates are built on request. */
  async refresh(): Promise<TemplateFacts> {
    const until = performance.now() + TEMPLATE_MS;
    while (performance.now() < until) {
      const current = this.#current;
      if (current?.live && current.prevHashHex === this.#tipHex) return current;
      const [node] = this.#choice.callable(performance.now());
      const answer = node && (await this.#request(node.name, { kind: 'refresh' }, REQUEST_MS));
      if (answer?.kind === 'refreshed') {
        if (answer.code !== 0) throw new RpcError(answer.code, answer.text);
        if (await this.#waitUntil(() => this.#hasTemplate(node.name, answer.serial), until)) return this.#current as TemplateFacts;
      } else await this.#waitUntil(() => this.#current?.prevHashHex === this.#tipHex, Math.min(until, performance.now() + CHECK_MS));
    }
    throw new RpcError(RPC_CODE.CLIENT_NOT_CONNECTED, 'No node of the fleet has a template of the best tip');
  }

  #hasTemplate(node: string, serial: number): boolean {
    const { node: from, serial: got } = this.#currentFrom;
    if (this.#current?.prevHashHex !== this.#tipHex) return false;
    return from === node ? got >= serial : true;
  }

  /**
   * Waits for a condition, which is checked after every fact and template.
   * @returns false if the time is over
   */
  #waitUntil(isSo: () => boolean, untilMs: number): Promise<boolean> {
    if (isSo()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (value: boolean): void => {
        clearTimeout(timer);
        this.#listeners = this.#listeners.filter((one) => one !== check);
        resolve(value);
      };
      const check = (): void => {
        if (isSo()) end(true);
      };
      const timer = setTimeout(() => end(false), Math.max(0, untilMs - performance.now()));
      this.#listeners.push(check);
    });
  }

  /** Resolves when the facts have arrived that precede a node's reply. */
  async #waitForFacts(node: string, epoch: number): Promise<void> {
    const peer = this.#peers.get(node);
    if (peer) await this.#waitUntil(() => peer.epoch >= epoch, performance.now() + FACTS_MS);
  }

  #changed(): void {
    for (const check of [...this.#listeners]) check();
  }

  #onBroker(connected: boolean, server: string): void {
    const { log } = this.#deps;
    if (connected) log.info(`fleet: connected to the broker ${server}`);
    else log.warn(`fleet: lost the connection to the broker ${server}`);
    if (connected) this.#greetAll();
  }

  #greetAll(): void {
    for (const peer of this.#peers.values()) this.#greet(peer);
  }

  /** Requests a signature over a fresh nonce. Publications of a run are trusted only after that. */
  #greet(peer: Peer): void {
    if (!this.#small?.connected) return;
    peer.greetedMs = performance.now();
    if (peer.nonce === '') peer.nonce = randomBytes(16).toString('hex');
    this.#send(peer.name, 'hello', encode({ kind: 'hello', nonce: peer.nonce } satisfies FrontMessage), false);
  }

  #onPublication(bytes: Uint8Array): void {
    const publication = this.#verifier.open(bytes);
    const peer = publication && this.#peers.get(publication.node);
    if (!peer) {
      this.#trust.refused(bytes);
      return;
    }
    this.#trust.accepted();
    if (publication.run !== peer.run) {
      if (performance.now() - peer.greetedMs >= HELLO_MS) this.#greet(peer);
      return;
    }
    if (publication.kind === 'fact') this.#onFact(peer, publication, readFact(publication.body));
    else this.#onHead(peer, publication, false);
  }

  #onFact(peer: Peer, { number, run }: Publication, fact: NodeFact | null): void {
    if (fact === null || number <= peer.fact) return;
    peer.fact = number;
    peer.epoch = fact.epoch;
    this.#choice.takeFact(peer.name, run, fact, performance.now());
    this.#checkNodes();
  }

  #onHead(peer: Peer, { number, body }: Publication, isOld: boolean): void {
    const head = readHead(body);
    if (head === null || number <= peer.headNumber) return;
    peer.headNumber = number;
    peer.head = head;
    if (peer.name === this.#followed && peer.run === this.#followedRun) this.#templates.wantTemplate(peer.name, head, isOld);
  }

  #onAnswer(subject: string, bytes: Uint8Array): void {
    const message = readNodeMessage(bytes);
    if (message === null) return;
    if (message.kind === 'fact') this.#onHello(message);
    else if ('id' in message && !this.#requests.has(subject)) this.#calls.receiveMessage(message);
    else this.#requests.get(subject)?.(message);
  }

  #onHello({ bytes, head }: Extract<NodeMessage, { kind: 'fact' }>): void {
    const publication = this.#verifier.open(bytes);
    const peer = publication && this.#peers.get(publication.node);
    const fact = publication && publication.kind === 'fact' ? readFact(publication.body) : null;
    if (!peer || fact === null || peer.nonce === '' || fact.nonce !== peer.nonce) return;
    peer.nonce = '';
    if (publication.run !== peer.run) {
      peer.run = publication.run;
      peer.fact = 0;
      peer.headNumber = 0;
      peer.head = null;
    }
    this.#onFact(peer, publication, fact);
    const newest = head && this.#verifier.open(head);
    if (newest?.kind === 'head' && newest.node === peer.name && newest.run === peer.run) this.#onHead(peer, newest, true);
  }

  #onNoResponder(subject: string): void {
    const token = subject.slice(subject.lastIndexOf('.') + 1);
    this.#calls.onNoResponder(token);
    this.#requests.get(subject)?.(null);
  }

  /** Follows the best node, and shows its facts to the fronts. */
  #checkNodes(): void {
    const now = performance.now();
    this.#trust.check(this.#small?.connected ?? false, now);
    this.#calls.checkPending();
    const node = this.#choice.choose(now);
    if (node === null) return;
    const { fact } = node;
    if (node.name !== this.#followed || node.run !== this.#followedRun) this.#followNode(node);
    const { state } = this.#deps;
    state.mempoolCounter = fact.mempoolCounter;
    state.connections = this.#choice.isAlive(node, now) ? fact.connections : 0;
    for (const flag of [STATE_FLAG.INITIAL_BLOCK_DOWNLOAD, STATE_FLAG.TEST_CHAIN, STATE_FLAG.NETWORK])
      state.set(flag, (fact.flags & flag) !== 0);
    if (state.mockSeconds !== fact.mockSeconds) state.mockSeconds = fact.mockSeconds;
    if (node.lastFactMs === this.#clockFrom) {
      this.#changed();
      return;
    }
    this.#clockFrom = node.lastFactMs;
    state.clockOffsetMs = fact.clockMs - Date.now();
    if (fact.tip.hashHex !== this.#tipHex) {
      this.#tipHex = fact.tip.hashHex;
      this.#fronts?.publishTip(fact.tip);
      state.raiseEpoch();
    }
    if (!this.#ready) {
      this.#ready = true;
      this.#deps.onReady();
    }
    this.#changed();
  }

  #clockFrom = Number.NaN;

  #followNode({ name, run, fact }: FollowedNode): void {
    this.#deps.log.info(`fleet: following ${name} at height ${fact.tip.height}, tip ${fact.tip.hashHex}`);
    if (this.#followed !== '') this.#switches++;
    this.#followed = name;
    this.#followedRun = run;
    this.#clockFrom = Number.NaN;
    this.#pieces?.unsubscribe();
    const first = this.#subjects.stored(this.#subjects.pieceKey(name, '*'));
    this.#pieces =
      this.#large?.subscribe(first, (message) => {
        const piece = readPiece(message.data);
        if (piece) this.#templates.takePiece(Number(message.subject.slice(message.subject.lastIndexOf('.') + 1)), piece);
      }) ?? null;
    const peer = this.#peers.get(name);
    if (peer?.head && peer.run === run) this.#templates.wantTemplate(name, peer.head, true);
  }

  #publishTemplate(facts: TemplateFacts, transactions: Uint8Array | null, from: { readonly node: string; readonly serial: number }): void {
    // Ignore the template of a node that is no longer followed.
    if (from.node !== this.#followed) return;
    // Each node counts its own publications. This front numbers templates itself, so that clients never see one number twice.
    const counter = facts.live === null ? facts.counter : ++this.#publications >>> 0;
    this.#current = { ...facts, counter, epoch: this.#deps.state.epoch };
    this.#currentFrom = from;
    this.#fronts?.publishTemplate(this.#current);
    this.#light.takeTemplate(facts, transactions);
    this.#deps.onTemplate(this.#current, transactions);
    this.#changed();
  }

  readonly #requests = new Map<string, (message: NodeMessage | null) => void>();
  #lastRequest = 0;

  /** Sends one request to a node. @returns null if the node does not answer */
  #request(node: string, message: FrontMessage, timeoutMs: number): Promise<NodeMessage | null> {
    const broker = this.#small;
    if (!broker?.connected) return new Promise((resolve) => setTimeout(resolve, CHECK_MS, null));
    const subject = `${this.#inbox}.s.r${++this.#lastRequest}`;
    return new Promise((resolve) => {
      const end = (answer: NodeMessage | null): void => {
        clearTimeout(timer);
        this.#requests.delete(subject);
        resolve(answer);
      };
      const timer = setTimeout(() => end(null), timeoutMs);
      this.#requests.set(subject, end);
      broker.publish(this.#subjects.call(node, this.#options.account), encode(message), subject);
    });
  }

  /** Sends a message to a node. @param token last part of the subject to which the node sends its answers */
  #send(node: string, token: string, body: Uint8Array, isLarge: boolean): void {
    const broker = isLarge ? this.#large : this.#small;
    broker?.publish(this.#subjects.call(node, this.#options.account), body, `${this.#inbox}.${isLarge ? 'l' : 's'}.${token}`);
  }

  /** Stores a found block in the stream. @throws Error if the stream does not confirm the message */
  async #store(body: Uint8Array, id: string): Promise<void> {
    if (!this.#large?.connected) throw new Error('the broker is not connected');
    const subject = this.#subjects.found(this.#options.account);
    await jetstream(this.#large.nc, { timeout: REQUEST_MS }).publish(subject, body, { msgID: id });
  }

  /** Returns the transactions of a template whose pieces did not all arrive: from the store, or else from the node itself. */
  async #fetch(node: string, head: TemplateHead): Promise<Uint8Array | null> {
    const stored = await this.#fromStore(node, head).catch(() => null);
    if (stored !== null) this.#fetched.store++;
    const packed = stored ?? (await this.#fromNode(node, head));
    if (stored === null && packed !== null) this.#fetched.node++;
    return packed;
  }

  async #fromStore(node: string, head: TemplateHead): Promise<Uint8Array | null> {
    if (!this.#large?.connected) return null;
    const bucket = await new Kvm(jetstream(this.#large.nc, { timeout: REQUEST_MS })).open(this.#subjects.bucket, { allow_direct: true });
    const pieces = await Promise.all(
      Array.from({ length: head.pieces }, async (_, i) => {
        const entry = await bucket.get(this.#subjects.pieceKey(node, i));
        const piece = entry && readPiece(entry.value);
        return piece?.digestHex === head.digestHex ? piece.bytes : null;
      }),
    );
    return pieces.includes(null) ? null : Buffer.concat(pieces as Uint8Array[]);
  }

  #fromNode(node: string, { digestHex }: TemplateHead): Promise<Uint8Array | null> {
    const broker = this.#large;
    if (!broker?.connected) return Promise.resolve(null);
    const subject = `${this.#inbox}.l.r${++this.#lastRequest}`;
    const pieces: Uint8Array[] = [];
    return new Promise((resolve) => {
      const end = (bytes: Uint8Array | null): void => {
        clearTimeout(timer);
        this.#requests.delete(subject);
        resolve(bytes);
      };
      const timer = setTimeout(() => end(null), TEMPLATE_MS / 2);
      this.#requests.set(subject, (message) => {
        if (message?.kind !== 'result' || message.at !== pieces.length) {
          end(null);
          return;
        }
        pieces.push(new Uint8Array(message.bytes));
        if (pieces.length === message.of) end(Buffer.concat(pieces));
      });
      broker.publish(this.#subjects.call(node, this.#options.account), encode({ kind: 'template', digestHex }), subject);
    });
  }
}

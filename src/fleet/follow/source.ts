// Takes the place of a node in a process of fronts. Follows the fleet's nodes over the broker, publishes the followed
// node's tip and templates to the front threads, and carries their calls. The front threads are the same as in aditd
// and know nothing about the broker.
import type { Hashes } from '../../crypto/crypto.js';
import type { Fronts } from '../../http/server.js';
import type { CallReply, ExecuteBody, RunHooks, RunningCallInfo } from '../../link/running-call.js';
import { type SharedState, STATE_FLAG } from '../../link/shared-state.js';
import type { SlabRing } from '../../link/slab-ring.js';
import type { Logger } from '../../log/logger.js';
import { RPC_CODE, RpcError } from '../../rpc/errors.js';
import type { TemplateFacts } from '../../template/index.js';
import type { NodeMessage, TemplateHead } from '../messages.js';
import type { FleetFrontOptions } from '../options.js';
import { Subjects } from '../subjects.js';
import { BrokerLink } from './broker-link.js';
import { Caller, newToken } from './caller.js';
import { Calls } from './calls.js';
import type { FleetFigures } from './figures.js';
import { FoundBlocks } from './found.js';
import { LightTemplates } from './light.js';
import { type FollowedNode, NodeChoice } from './node-choice.js';
import { NodeRuns } from './node-runs.js';
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
/** Longest wait for a template of the tip. */
const TEMPLATE_MS = 10_000;
const REQUEST_MS = 1_000;
/** Longest wait of a reply for the facts that precede it. The node may have died between the two. */
const FACTS_MS = 1_000;

export class FleetSource {
  readonly #deps: SourceDeps;
  readonly #link: BrokerLink;
  readonly #trust: TrustReports;
  readonly #runs: NodeRuns;
  readonly #choice: NodeChoice;
  readonly #templates: TemplateIntake;
  readonly #calls: Calls;
  readonly #caller: Caller;
  readonly #found: FoundBlocks;
  readonly #light: LightTemplates;
  readonly #abort = new AbortController();
  #fronts: Fronts | null = null;
  #checkTimer: NodeJS.Timeout | null = null;
  #ready = false;
  /** The followed node and its run; empty before the first one. */
  #followed = { name: '', run: '' };
  #switches = 0;
  /** Subscription to the pieces of the followed node's templates. */
  #pieces: { unsubscribe(): void } | null = null;
  /** Time of the fact from which the clock was last set, by this process' clock. */
  #clockFrom = Number.NaN;
  #tipHex = '';
  /** The published template, and the node that made it. */
  #current: TemplateFacts | null = null;
  #currentFrom = { node: '', serial: 0 };
  #publications = 0;
  /** Checks of waitUntil. */
  #listeners: (() => void)[] = [];

  constructor(options: FleetFrontOptions, deps: SourceDeps) {
    const { nodes, chain } = options;
    const names = nodes.map(({ name }) => name);
    const onFault = (text: string): void => deps.log.warn(`fleet: ${text}`);
    const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    this.#deps = deps;
    const link = new BrokerLink(options, new Subjects(chain));
    const choice = new NodeChoice(options, names);
    this.#link = link;
    this.#choice = choice;
    this.#trust = new TrustReports(names, chain, onFault);
    this.#runs = new NodeRuns({
      ...{ nodes, chain, trust: this.#trust },
      connected: () => link.connected,
      sendHello: (node, body) => link.send(node, 'hello', body, false),
      onFact: (node, run, fact) => {
        choice.takeFact(node, run, fact, performance.now());
        this.#checkNodes();
      },
      onHead: (node, run, head, isOld) => this.#onHead(node, run, head, isOld),
    });
    this.#templates = new TemplateIntake({
      slabs: deps.slabs,
      fetch: (node, head) => link.fetchTransactions(node, head),
      publish: (facts, transactions, from) => this.#publishTemplate(facts, transactions, from),
      onFault,
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    });
    const calls = new Calls({
      send: (node, id, body, isLarge) => link.send(node, id, body, isLarge),
      pieceBytes: () => link.pieceBytes,
      run: (node) => {
        const seen = choice.node(node);
        return seen && choice.isAlive(seen, performance.now()) ? seen.run : null;
      },
      nowMs: () => performance.now(),
    });
    this.#calls = calls;
    this.#light = new LightTemplates(deps.hashes, newToken);
    this.#found = new FoundBlocks({
      powLimit: deps.powLimit,
      store: (body, id) => link.storeFound(body, id),
      pieceBytes: () => link.largePieceBytes,
      after,
      onFault: (text) => deps.log.error(`fleet: ${text}`),
    });
    this.#caller = new Caller({
      ...{ found: this.#found, light: this.#light, calls },
      nodes: () => choice.callable(performance.now()),
      followed: () => this.#followed.name,
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
    const started = await this.#link.start(
      {
        onChange: (connected, server) => {
          if (connected) log.info(`fleet: connected to the broker ${server}`);
          else log.warn(`fleet: lost the connection to the broker ${server}`);
          if (connected) this.#runs.greetAll();
        },
        onError: (text) => log.warn(`fleet: ${text}`),
        onPublication: (bytes) => this.#runs.onPublication(bytes),
        onMessage: (message) => this.#onMessage(message),
        onNoResponder: (token) => this.#calls.onNoResponder(token),
      },
      this.#abort.signal,
    );
    if (!started) return;
    this.#runs.greetAll();
    this.#checkTimer = setInterval(() => this.#checkNodes(), CHECK_MS);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    if (this.#checkTimer) clearInterval(this.#checkTimer);
    await this.#link.close();
  }

  /** Figures for metrics and the status page. */
  figures(): FleetFigures {
    const now = performance.now();
    const { store, node } = this.#link.fetched;
    return {
      connected: this.#link.connected,
      nodes: this.#choice.nodes.map((seen) => {
        const alive = this.#choice.isAlive(seen, now);
        const tipHex = seen.fact?.tip.hashHex ?? '';
        return {
          name: seen.name,
          alive,
          stopping: seen.fact?.stopping ?? false,
          followed: seen.name === this.#followed.name,
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
   * Publishes records of shares (stratum/serve/share-stream.ts).
   * @returns false if the broker may not have them
   */
  publishShares(records: Uint8Array): Promise<boolean> {
    return this.#link.publishShares(records);
  }

  /** Returns a template of the tip. Requests one from the followed node where templates are built on request. */
  async refresh(): Promise<TemplateFacts> {
    const until = performance.now() + TEMPLATE_MS;
    while (performance.now() < until) {
      const current = this.#current;
      if (current?.live && current.prevHashHex === this.#tipHex) return current;
      const [node] = this.#choice.callable(performance.now());
      const answer = node && (await this.#link.request(node.name, { kind: 'refresh' }, REQUEST_MS));
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
    await this.#waitUntil(() => this.#runs.epochOf(node) >= epoch, performance.now() + FACTS_MS);
  }

  #changed(): void {
    for (const check of [...this.#listeners]) check();
  }

  #onMessage(message: NodeMessage): void {
    if (message.kind === 'fact') this.#runs.onHello(message);
    else if ('id' in message) this.#calls.receiveMessage(message);
  }

  #onHead(node: string, run: string, head: TemplateHead, isOld: boolean): void {
    if (node === this.#followed.name && run === this.#followed.run) this.#templates.wantTemplate(node, head, isOld);
  }

  /** Follows the best node, and shows its facts to the fronts. */
  #checkNodes(): void {
    const now = performance.now();
    this.#trust.check(this.#link.connected, now);
    this.#calls.checkPending();
    const node = this.#choice.choose(now);
    if (node === null) return;
    const { fact } = node;
    if (node.name !== this.#followed.name || node.run !== this.#followed.run) this.#followNode(node);
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

  #followNode({ name, run, fact }: FollowedNode): void {
    this.#deps.log.info(`fleet: following ${name} at height ${fact.tip.height}, tip ${fact.tip.hashHex}`);
    if (this.#followed.name !== '') this.#switches++;
    this.#followed = { name, run };
    this.#clockFrom = Number.NaN;
    this.#pieces?.unsubscribe();
    this.#pieces = this.#link.subscribePieces(name, (at, piece) => this.#templates.takePiece(at, piece));
    const head = this.#runs.headOf(name, run);
    if (head !== null) this.#templates.wantTemplate(name, head, true);
  }

  #publishTemplate(facts: TemplateFacts, transactions: Uint8Array | null, from: { readonly node: string; readonly serial: number }): void {
    // Ignore the template of a node that is no longer followed.
    if (from.node !== this.#followed.name) return;
    // Each node counts its own publications. This front numbers templates itself, so that clients never see one number twice.
    const counter = facts.live === null ? facts.counter : ++this.#publications >>> 0;
    this.#current = { ...facts, counter, epoch: this.#deps.state.epoch };
    this.#currentFrom = from;
    this.#fronts?.publishTemplate(this.#current);
    this.#light.takeTemplate(facts, transactions);
    this.#deps.onTemplate(this.#current, transactions);
    this.#changed();
  }
}

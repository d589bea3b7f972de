// The node thread's end of the links to all fronts: takes their calls, runs them in order and gives replies back, gathered per
// turn. Submissions come by priority ports, which are drained between any two calls, batch entries and slices; the loop gets
// a turn after every few milliseconds of work. Callers: http/server.ts.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { TemplateFacts } from '../../template/facts.js';
import {
  bodyMember,
  type FrontNews,
  ITEM,
  type Item,
  isPacked,
  memberBody,
  type NodeNews,
  Outbox,
  PART_BYTES,
  type PriorityCall,
  unpackMessage,
} from './messages.js';
import { MethodCounts } from './method-counts.js';
import { type ExecuteBody, NodeCall, type NodeHooks, type NodeReply } from './node-call.js';

/** Where templates come from. */
export interface TemplateSource {
  /** A template of the current tip, built when the last one is too old; concurrent callers share a build. */
  refresh(): Promise<TemplateFacts>;
}

/** What the links need of their owner. */
export interface NodeLinkDeps {
  readonly execute: ExecuteBody;
  readonly templates: TemplateSource;
  /** Posts a template to every front unless that was done; called before the fronts that asked are told. */
  publishTemplate(facts: TemplateFacts): void;
  /** What callers are told when no template could be built. */
  templateError(error: unknown): { code: number; text: string };
  /** Takes rare messages of a front. */
  onNews(front: number, news: NodeNews): void;
  /** A call or a template went wrong in a way that no reply explains. */
  onFault(what: string, error: unknown): void;
}

/** Plain figures. */
export interface NodeLinkStats {
  readonly queued: number;
  readonly running: number;
  readonly runningBytes: number;
  readonly calls: number;
  readonly prioritised: number;
  readonly cancelled: number;
  readonly methods: ReadonlyMap<string, { calls: number; errors: number; seconds: number; buckets: readonly number[] }>;
}

// A turn of the loop is due after this much work: a small call behind it waits no longer, and a timer is at most this late.
const TURN_MS = 5;

// While a submission is under way nothing else is begun, so that its steps (pool, files, database) follow each other at once; but
// a block that takes longer to verify doesn't stop everybody else.
const HOLD_MS = 25;

interface Link {
  readonly front: number;
  readonly main: MessagePort;
  readonly priority: MessagePort;
  readonly outbox: Outbox;
  readonly calls: Map<number, NodeCall<Link>>;
}

/** All links of the node thread. */
export class NodeLinks {
  readonly #deps: NodeLinkDeps;
  readonly #links: Link[] = [];
  readonly #counts = new MethodCounts();
  readonly #hooks: NodeHooks;
  #queue: NodeCall<Link>[] = [];
  #head = 0;
  #busy = false;
  #runningBytes = 0;
  #running = 0;
  #submissions = 0;
  #holdUntil = 0;
  #calls = 0;
  #prioritised = 0;
  #cancelled = 0;

  constructor(deps: NodeLinkDeps) {
    this.#deps = deps;
    this.#hooks = {
      breathe: () => {
        this.breathe();
        return this.#held ? this.#untilFree() : undefined;
      },
      onCall: (method, seconds, ok) => this.#counts.add(method, seconds, !ok),
    };
  }

  /** Connects a front. */
  add(front: number, ports: { main: MessagePort; priority: MessagePort }): void {
    const link: Link = { front, ...ports, outbox: new Outbox(ports.main), calls: new Map() };
    this.#links.push(link);
    ports.main.on('message', (message: unknown) => this.#receive(link, message));
    ports.priority.on('message', (message: unknown) => this.#prioritise(link, message as PriorityCall));
  }

  /** Ends a front's link; its calls are cancelled. */
  remove(front: number): void {
    const at = this.#links.findIndex((link) => link.front === front);
    if (at < 0) return;
    const [link] = this.#links.splice(at, 1);
    for (const call of link.calls.values()) call.cancel();
    link.calls.clear();
    link.main.close();
    link.priority.close();
  }

  /** Posts news to one front, in order with the replies before it. */
  tell(front: number, news: FrontNews): void {
    const link = this.#links.find((one) => one.front === front);
    if (!link) return;
    link.outbox.flush();
    link.main.postMessage(news);
  }

  /** Posts news to every front. Not held back for the end of the turn: a tip must be there before its epoch is raised. */
  tellAll(news: FrontNews): void {
    for (const link of this.#links) {
      link.outbox.flush();
      link.main.postMessage(news);
    }
  }

  /** Starts every submission that has arrived; cheap when there is none (about a microsecond for each front). */
  breathe(): void {
    for (const link of this.#links) {
      for (let next = receiveMessageOnPort(link.priority); next; next = receiveMessageOnPort(link.priority)) {
        this.#prioritise(link, next.message as PriorityCall);
      }
    }
  }

  /** Whether a submission is under way that others should let pass. */
  get #held(): boolean {
    return this.#submissions > 0 && performance.now() < this.#holdUntil;
  }

  async #untilFree(): Promise<void> {
    while (this.#held) await new Promise((resolve) => setImmediate(resolve));
  }

  stats(): NodeLinkStats {
    return {
      queued: this.#queue.length - this.#head,
      running: this.#running,
      runningBytes: this.#runningBytes,
      calls: this.#calls,
      prioritised: this.#prioritised,
      cancelled: this.#cancelled,
      methods: this.#counts.byMethod,
    };
  }

  #prioritise(link: Link, message: PriorityCall): void {
    this.#prioritised++;
    const call = new NodeCall(link, message, true);
    link.calls.set(call.id, call);
    if (this.#submissions++ === 0) this.#holdUntil = performance.now() + HOLD_MS;
    this.#start(call);
  }

  #receive(link: Link, message: unknown): void {
    if (!isPacked(message)) {
      this.#deps.onNews(link.front, message as NodeNews);
      return;
    }
    const { items, parts } = unpackMessage(message);
    for (const item of items) this.#take(link, item, parts);
    if (!this.#busy) this.#turn();
  }

  #take(link: Link, item: Item, parts: readonly Uint8Array[]): void {
    switch (item[0]) {
      case ITEM.REQUEST: {
        const [, id, user, uri, , member] = item as [number, number, string, string, string, unknown];
        const body = memberBody(member, parts) as Uint8Array;
        const call = new NodeCall(link, { id, user, uri, body }, false);
        link.calls.set(id, call);
        this.#queue.push(call);
        break;
      }
      case ITEM.CANCEL: {
        const call = link.calls.get(item[1] as number);
        if (!call) break;
        this.#cancelled++;
        link.calls.delete(call.id);
        call.cancel();
        break;
      }
      case ITEM.TEMPLATE:
        void this.#template(link, item[1] as number);
        break;
      case ITEM.COUNTS: {
        const [, method, calls, errors, seconds, buckets] = item as [number, string, number, number, number, number[]];
        this.#counts.merge(method, calls, errors, seconds, buckets);
        break;
      }
    }
  }

  #turn = (): void => {
    this.#busy = true;
    const until = performance.now() + TURN_MS;
    while (this.#head < this.#queue.length) {
      this.breathe();
      if (this.#held) break;
      const call = this.#queue[this.#head++];
      if (!call.cancelled) this.#start(call);
      if (performance.now() > until) break;
    }
    if (this.#head < this.#queue.length) {
      // Forget what is done before the list grows long under steady load.
      if (this.#head > 1024) {
        this.#queue = this.#queue.slice(this.#head);
        this.#head = 0;
      }
      setImmediate(this.#turn);
      return;
    }
    this.#queue = [];
    this.#head = 0;
    this.#busy = false;
  };

  #start(call: NodeCall<Link>): void {
    this.#calls++;
    this.#running++;
    this.#runningBytes += call.body.byteLength;
    try {
      const reply = this.#deps.execute(call.body, call, this.#hooks);
      if (!(reply instanceof Promise)) {
        this.#finish(call, reply);
        return;
      }
      reply.then(
        (value) => this.#finish(call, value),
        (error: unknown) => this.#fail(call, error),
      );
    } catch (error) {
      this.#fail(call, error);
    }
  }

  #fail(call: NodeCall<Link>, error: unknown): void {
    this.#deps.onFault('call', error);
    this.#finish(call, { status: 500, body: 'Unhandled request' });
  }

  #finish(call: NodeCall<Link>, reply: NodeReply): void {
    this.#running--;
    if (call.priority) this.#submissions--;
    this.#runningBytes -= call.body.byteLength;
    // A cancelled call was taken off the list, and so was everything of a front that has ended.
    if (!call.link.calls.delete(call.id)) return;
    if (!call.priority) {
      const { outbox } = call.link;
      outbox.push([ITEM.REPLY, call.id, reply.status, bodyMember(outbox, reply.body)]);
      return;
    }
    // Verdicts are short and somebody's money waits for them: no gathering.
    const now = new Outbox(reply.body.length > PART_BYTES ? call.link.main : call.link.priority);
    now.push([ITEM.REPLY, call.id, reply.status, bodyMember(now, reply.body)]);
    now.flush();
  }

  async #template(link: Link, id: number): Promise<void> {
    let code = 0;
    let text = '';
    try {
      this.#deps.publishTemplate(await this.#deps.templates.refresh());
    } catch (error) {
      ({ code, text } = this.#deps.templateError(error));
    }
    link.outbox.push([ITEM.TEMPLATE_READY, id, code, text]);
  }
}

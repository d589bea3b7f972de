// Disturbs a fleet: processes die, end or stop for a while; connections delay, break or are slow; clocks are wrong. One
// disturbance at a time for each process, several at once in the fleet.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Daemon } from '../framework/daemon.js';
import type { Broker } from '../framework/fleet.js';
import type { Front } from './clients.js';
import { type Disturbances, EVERYTHING } from './sights.js';
import type { Wire } from './wire.js';
import type { Member, World } from './world.js';

type Node = Member<Daemon>;

export interface TroubleOptions {
  readonly random: () => number;
  readonly tell: (line: string) => void;
  /** Called before a node goes away, while it can still be asked. */
  readonly onNodeEnd: (node: Node) => Promise<void>;
  /** Most milliseconds that something lasts. */
  readonly longestMs: number;
  /** Most milliseconds between two troubles of a lane. */
  readonly pauseMs: number;
}

/** Beyond this a block's time is refused: Core's MAX_FUTURE_BLOCK_TIME is two hours. */
const MOST_SKEW_SECONDS = 1_500;

export class Trouble {
  readonly counts: Record<string, number> = {};
  readonly #busy = new Set<object>();
  /** Seconds that a node's clock is wrong. */
  readonly #skews = new Map<Node, number>();
  #over = false;

  constructor(
    private readonly world: World,
    private readonly disturbances: Disturbances,
    private readonly options: TroubleOptions,
  ) {}

  end(): void {
    this.#over = true;
  }

  /** One trouble after the other, until the end; then everything runs. Several lanes may run at once. */
  async lane(): Promise<void> {
    const { servers, nodes, fronts } = this.world;
    while (!this.#over) {
      await sleep(this.#pick(this.options.pauseMs));
      const dice = this.options.random();
      if (dice < 0.45) await this.#alone(this.#one(nodes), (node) => this.#node(node));
      else if (dice < 0.8) await this.#alone(this.#one(fronts), (front) => this.#front(front));
      // One server at a time: two of three are a majority.
      else await this.#alone(servers, () => this.#server(this.#one(servers)));
    }
  }

  /** Moves the clocks that are wrong on; to be called every second or so. */
  async tick(): Promise<void> {
    for (const [node, skew] of this.#skews) {
      if (!this.#busy.has(node)) await this.#set(node, Math.floor(Date.now() / 1000) + skew);
    }
  }

  #pick(most: number): number {
    return Math.floor(this.options.random() * most);
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#pick(list.length)] as T;
  }

  async #alone<T extends object>(whom: T, trouble: (whom: T) => Promise<void>): Promise<void> {
    if (this.#busy.has(whom)) return;
    this.#busy.add(whom);
    try {
      await trouble(whom);
    } finally {
      this.#busy.delete(whom);
    }
  }

  async #lasting(what: string, names: readonly string[], begin: () => unknown, end: () => unknown): Promise<void> {
    const ms = 200 + this.#pick(this.options.longestMs);
    const kind = what.split(' ')[0] as string;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    this.options.tell(`${what} for ${ms} ms`);
    const over = names.map((name) => this.disturbances.begin(name));
    try {
      await begin();
      await sleep(ms);
      await end();
    } finally {
      for (const done of over) done();
    }
  }

  async #wires(name: string, names: readonly string[], wires: readonly Wire[]): Promise<void> {
    const way = this.#one(['hold', 'cut', 'delay'] as const);
    const delayMs = 20 + this.#pick(300);
    await this.#lasting(
      `${way} ${name}`,
      names,
      () => {
        for (const wire of wires) {
          if (way === 'hold') wire.hold();
          else if (way === 'cut') wire.cut();
          else wire.delayMs = delayMs;
        }
      },
      () => {
        for (const wire of wires) wire.heal();
      },
    );
  }

  async #node(node: Node): Promise<void> {
    const { process, name, wires } = node;
    switch (this.#pick(6)) {
      case 0:
        await this.options.onNodeEnd(node);
        return this.#lasting(
          `kill ${name}`,
          [name],
          () => process.kill(),
          () => process.up(),
        );
      case 1:
        await this.options.onNodeEnd(node);
        return this.#lasting(
          `stop ${name}`,
          [name],
          () => process.stop(),
          () => process.up(),
        );
      case 2:
        return this.#lasting(
          `pause ${name}`,
          [name],
          () => process.child?.kill('SIGSTOP'),
          () => process.child?.kill('SIGCONT'),
        );
      case 3:
        return this.#wires(name, [name], wires);
      case 4:
        // Peers alone: blocks come later, or the chain splits.
        return this.#wires('peers', [], this.world.peers);
      default: {
        const skew = this.#pick(2 * MOST_SKEW_SECONDS) - MOST_SKEW_SECONDS;
        this.options.tell(`clock of ${name} is wrong by ${skew} s`);
        this.counts.clock = (this.counts.clock ?? 0) + 1;
        this.#skews.set(node, skew);
      }
    }
  }

  async #set({ process }: Node, seconds: number): Promise<void> {
    const body = JSON.stringify({ method: 'setmocktime', params: [seconds] });
    await process.post(body, { signal: AbortSignal.timeout(1_000) }).catch(() => {});
  }

  #front({ process, name, wires }: Front): Promise<void> {
    const up = (): Promise<void> => {
      process.up();
      return process.answers();
    };
    switch (this.#pick(4)) {
      case 0:
        return this.#lasting(`kill ${name}`, [name], () => process.end(), up);
      case 1:
        return this.#lasting(`stop ${name}`, [name], () => process.end('SIGTERM'), up);
      case 2:
        return this.#lasting(
          `pause ${name}`,
          [name],
          () => process.signal('SIGSTOP'),
          () => process.signal('SIGCONT'),
        );
      default:
        return this.#wires(name, [name], wires);
    }
  }

  #server(server: Broker): Promise<void> {
    const index = this.world.servers.indexOf(server);
    const name = `server${index}`;
    const dice = this.#pick(this.world.servers.length > 1 ? 3 : 2);
    if (dice === 0)
      return this.#lasting(
        `kill ${name}`,
        [EVERYTHING],
        () => server.end(),
        () => server.up(),
      );
    if (dice === 1)
      return this.#lasting(
        `pause ${name}`,
        [EVERYTHING],
        () => server.signal('SIGSTOP'),
        () => server.signal('SIGCONT'),
      );
    return this.#wires(`routes of ${name}`, [EVERYTHING], this.world.routes[index] as readonly Wire[]);
  }
}

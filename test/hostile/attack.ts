// An attack, and the lane in which it runs: one connection after the other until the runner stops it.
import type { Greeting } from '../framework/p2p-client.js';
import type { Facts } from './facts.js';
import { type AttackCounts, HostilePeer } from './hostile-peer.js';

export interface Attack {
  readonly name: string;
  /** One connection's worth; it is called again as long as the attack lasts. */
  run(lane: Lane): Promise<void>;
}

/** Between two connections of a lane: attackers want the node busy, not themselves. */
const PAUSE_MS = 20;

export class Lane {
  #stopped = false;
  readonly #peers = new Set<HostilePeer>();

  constructor(
    readonly facts: () => Facts,
    readonly counts: AttackCounts,
    /** Headers of blocks that are about to be published, newest last, hex. */
    readonly coming: () => readonly string[],
  ) {}

  running(): boolean {
    return !this.#stopped;
  }

  async open(): Promise<HostilePeer | null> {
    return this.#keep(await HostilePeer.open(this.facts().port, this.counts));
  }
  async greet(greeting: Greeting = {}): Promise<HostilePeer | null> {
    return this.#keep(await HostilePeer.greet(this.facts().port, this.counts, greeting));
  }

  /** Attacks until stopped. */
  async go(attack: Attack): Promise<void> {
    while (!this.#stopped) {
      await attack.run(this);
      for (const peer of this.#peers) {
        if (peer.closed) this.counts.ended++;
        peer.close();
      }
      this.#peers.clear();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const peer of this.#peers) peer.close();
  }

  #keep(peer: HostilePeer | null): HostilePeer | null {
    if (peer !== null) this.#peers.add(peer);
    if (this.#stopped) peer?.close();
    return peer;
  }
}

// Rounds of sending: everything that leaves without being asked for. Ten times a second each peer has its turn, and
// sooner when there is something to tell; the turns of many peers are spread over several turns of the event loop.

import { workClock } from '../lib/work-clock.js';
import type { Peer } from './peer/peer.js';

/** Milliseconds of one turn of the event loop. */
const SLICE_MS = 1;

export class Rounds {
  /** Who is to have a turn, in order. */
  readonly #pending = new Set<Peer>();
  #called = false;
  #stopped = false;
  readonly #peers: Iterable<Peer>;
  readonly #send: (peer: Peer) => void;

  constructor(peers: Iterable<Peer>, send: (peer: Peer) => void) {
    this.#peers = peers;
    this.#send = send;
  }

  /** Schedules a turn, for one peer or for all. */
  schedule(peer?: Peer): void {
    if (this.#stopped) return;
    if (peer !== undefined) this.#pending.add(peer);
    else for (const one of this.#peers) this.#pending.add(one);
    if (this.#called || this.#pending.size === 0) return;
    this.#called = true;
    setImmediate(() => this.#runSlice());
  }

  forgetPeer(peer: Peer): void {
    this.#pending.delete(peer);
  }

  stop(): void {
    this.#stopped = true;
    this.#pending.clear();
  }

  #runSlice(): void {
    this.#called = false;
    const until = workClock.now() + SLICE_MS;
    for (const peer of this.#pending) {
      this.#pending.delete(peer);
      if (!peer.leaving) this.#send(peer);
      if (workClock.now() >= until) break;
    }
    // A send may have scheduled a turn meanwhile.
    if (this.#pending.size === 0 || this.#stopped || this.#called) return;
    this.#called = true;
    setImmediate(() => this.#runSlice());
  }
}

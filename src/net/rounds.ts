// Sends the messages that no peer requested, in rounds: to each peer ten times a second, and earlier when there is
// something new. A round of many peers takes several ticks of the event loop.

import { workClock } from '../lib/work-clock.js';
import type { Peer } from './peer/peer.js';

/** Milliseconds of sending per tick of the event loop. */
const SLICE_MS = 1;

export class Rounds {
  /** Peers to serve, in order. */
  readonly #pending = new Set<Peer>();
  #called = false;
  #stopped = false;
  readonly #peers: Iterable<Peer>;
  readonly #send: (peer: Peer) => void;

  constructor(peers: Iterable<Peer>, send: (peer: Peer) => void) {
    this.#peers = peers;
    this.#send = send;
  }

  /** Schedules one peer, or all. */
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
    // A send may have scheduled a round meanwhile.
    if (this.#pending.size === 0 || this.#stopped || this.#called) return;
    this.#called = true;
    setImmediate(() => this.#runSlice());
  }
}

// Transactions that reach the network without showing any peer their origin (-privatebroadcast; Core's
// PrivateBroadcast): which of them is sent next, which peers it was sent to, and which confirmed it. One is done when
// it comes back from another peer. No sockets here: private-sender.ts opens the connections.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Peer } from '../peer/peer.js';

/** What waits at most, and how often one is sent before it takes another word of the operator's. */
const MAX_TRANSACTIONS = 10_000;
const MAX_ATTEMPTS = 1_000;
/** When one that no peer confirmed, or that has not come back since the last confirmation, is sent again. */
const UNSENT_SECONDS = 5 * 60;
const CONFIRMED_SECONDS = 60;

/** Sent to a peer. Times in seconds. */
export interface PrivateSend {
  readonly peerId: number;
  readonly address: string;
  readonly sentAt: number;
  confirmedAt: number | null;
}

export interface PrivateTx {
  readonly tx: TxView;
  addedAt: number;
  sends: PrivateSend[];
}

export class PrivateBroadcast {
  /** By key of the wtxid, in order of arrival. */
  readonly #txs = new Map<string, PrivateTx>();
  /** What a connected peer was sent: one for each. */
  readonly #byPeer = new Map<Peer, { readonly entry: PrivateTx; readonly send: PrivateSend }>();
  readonly #nowSeconds: () => number;

  constructor(nowSeconds: () => number) {
    this.#nowSeconds = nowSeconds;
  }

  get list(): readonly PrivateTx[] {
    return [...this.#txs.values()];
  }

  /** One that has had all its attempts begins anew. */
  add(tx: TxView): 'added' | 'present' | 'full' {
    const key = hashKey(tx.wtxid);
    const entry = this.#txs.get(key);
    if (entry !== undefined) {
      if (isPending(entry)) return 'present';
      entry.addedAt = this.#nowSeconds();
      entry.sends = [];
      return 'added';
    }
    if (this.#txs.size >= MAX_TRANSACTIONS) return 'full';
    this.#txs.set(key, { tx, addedAt: this.#nowSeconds(), sends: [] });
    return 'added';
  }

  /** @returns how many peers confirmed it; null when it is not here */
  remove(wtxid: Uint8Array): number | null {
    const key = hashKey(wtxid);
    const entry = this.#txs.get(key);
    if (entry === undefined) return null;
    this.#txs.delete(key);
    return entry.sends.filter(({ confirmedAt }) => confirmedAt !== null).length;
  }

  get hasPending(): boolean {
    for (const entry of this.#txs.values()) if (isPending(entry)) return true;
    return false;
  }

  /** Attempts that are left. */
  attemptsLeft({ sends }: PrivateTx): number {
    return Math.max(0, MAX_ATTEMPTS - sends.length);
  }

  /** What a peer is to be sent: of those sent to the fewest the one that waits longest. Undefined: nothing. */
  pick(peer: Peer, address: string): TxView | undefined {
    let best: PrivateTx | undefined;
    for (const entry of this.#txs.values()) if (isPending(entry) && (best === undefined || isBefore(entry, best))) best = entry;
    if (best === undefined) return undefined;
    const send: PrivateSend = { peerId: peer.id, address, sentAt: this.#nowSeconds(), confirmedAt: null };
    best.sends.push(send);
    this.#byPeer.set(peer, { entry: best, send });
    return best.tx;
  }

  /** What a peer was told of. */
  txSentTo(peer: Peer): TxView | undefined {
    return this.#byPeer.get(peer)?.entry.tx;
  }

  /** The peer has dealt with it. */
  confirm(peer: Peer): void {
    const sent = this.#byPeer.get(peer);
    if (sent !== undefined) sent.send.confirmedAt = this.#nowSeconds();
  }

  /** The peer is gone. @returns whether it confirmed what it was sent */
  forgetPeer(peer: Peer): boolean {
    const confirmed = this.#byPeer.get(peer)?.send.confirmedAt ?? null;
    this.#byPeer.delete(peer);
    return confirmed !== null;
  }

  /** Those that should be sent again. */
  stale(): TxView[] {
    const now = this.#nowSeconds();
    const isStale = (entry: PrivateTx): boolean => {
      const last = lastOf(entry.sends.map(({ confirmedAt }) => confirmedAt ?? 0));
      return last === 0 ? entry.addedAt < now - UNSENT_SECONDS : last < now - CONFIRMED_SECONDS;
    };
    return this.list.filter((entry) => isPending(entry) && isStale(entry)).map(({ tx }) => tx);
  }
}

const isPending = ({ sends }: PrivateTx): boolean => sends.length < MAX_ATTEMPTS;
const lastOf = (times: readonly number[]): number => times.reduce((last, time) => Math.max(last, time), 0);

/** By attempts, confirmations, and their last times: the least goes first. */
function isBefore(a: PrivateTx, b: PrivateTx): boolean {
  const rankOf = ({ sends }: PrivateTx): number[] => {
    const confirmed = sends.flatMap(({ confirmedAt }) => (confirmedAt === null ? [] : [confirmedAt]));
    return [sends.length, confirmed.length, lastOf(sends.map(({ sentAt }) => sentAt)), lastOf(confirmed)];
  };
  const [left, right] = [rankOf(a), rankOf(b)];
  const at = left.findIndex((value, i) => value !== right[i]);
  return at >= 0 && (left[at] as number) < (right[at] as number);
}

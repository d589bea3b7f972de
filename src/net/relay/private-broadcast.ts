// State of -privatebroadcast (Core's PrivateBroadcast): which transaction is sent next, to which peers each was sent,
// and which of them confirmed it. A transaction is done when another peer sends it back. private-sender.ts opens the
// connections.

import { hashKey } from '../../consensus/bytes/hex.js';
import type { Wtxid } from '../../consensus/ids.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Peer } from '../peer/peer.js';

/** Maximum number of pending transactions, and of attempts for one of them before the operator has to submit it again. */
const MAX_TRANSACTIONS = 10_000;
const MAX_ATTEMPTS = 1_000;
/** Seconds after which a transaction is sent again: since it was added if no peer confirmed it, or since the last confirmation. */
const UNSENT_SECONDS = 5 * 60;
const CONFIRMED_SECONDS = 60;

/** One attempt to send a transaction to a peer. Times in seconds. */
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
  /** Transactions by key of the wtxid, in order of arrival. */
  readonly #txs = new Map<string, PrivateTx>();
  /** The transaction that was sent to each connected peer, by peer. */
  readonly #byPeer = new Map<Peer, { readonly entry: PrivateTx; readonly send: PrivateSend }>();
  readonly #nowSeconds: () => number;

  constructor(nowSeconds: () => number) {
    this.#nowSeconds = nowSeconds;
  }

  get list(): readonly PrivateTx[] {
    return [...this.#txs.values()];
  }

  /** Adds a transaction. One that has used all its attempts starts again. */
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

  /** @returns the number of peers that confirmed the transaction; null if the transaction is not pending */
  remove(wtxid: Wtxid): number | null {
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

  attemptsLeft({ sends }: PrivateTx): number {
    return Math.max(0, MAX_ATTEMPTS - sends.length);
  }

  /** Returns the transaction to send to a peer: the one with the fewest attempts, then the one that waits longest. Undefined: none. */
  pick(peer: Peer, address: string): TxView | undefined {
    let best: PrivateTx | undefined;
    for (const entry of this.#txs.values()) if (isPending(entry) && (best === undefined || isBefore(entry, best))) best = entry;
    if (best === undefined) return undefined;
    const send: PrivateSend = { peerId: peer.id, address, sentAt: this.#nowSeconds(), confirmedAt: null };
    best.sends.push(send);
    this.#byPeer.set(peer, { entry: best, send });
    return best.tx;
  }

  txSentTo(peer: Peer): TxView | undefined {
    return this.#byPeer.get(peer)?.entry.tx;
  }

  /** Called when the peer has handled the transaction. */
  confirm(peer: Peer): void {
    const sent = this.#byPeer.get(peer);
    if (sent !== undefined) sent.send.confirmedAt = this.#nowSeconds();
  }

  /** Removes a disconnected peer. @returns whether it confirmed its transaction */
  forgetPeer(peer: Peer): boolean {
    const confirmed = this.#byPeer.get(peer)?.send.confirmedAt ?? null;
    this.#byPeer.delete(peer);
    return confirmed !== null;
  }

  /** Returns the transactions to send again. */
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

/** Returns whether a has fewer attempts than b; if equal, fewer confirmations; if equal, earlier attempts, then confirmations. */
function isBefore(a: PrivateTx, b: PrivateTx): boolean {
  const rankOf = ({ sends }: PrivateTx): number[] => {
    const confirmed = sends.flatMap(({ confirmedAt }) => (confirmedAt === null ? [] : [confirmedAt]));
    return [sends.length, confirmed.length, lastOf(sends.map(({ sentAt }) => sentAt)), lastOf(confirmed)];
  };
  const [left, right] = [rankOf(a), rankOf(b)];
  const at = left.findIndex((value, i) => value !== right[i]);
  return at >= 0 && (left[at] as number) < (right[at] as number);
}

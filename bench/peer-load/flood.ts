// Kinds of floods, and the processes that send and receive them.
import { Child } from '../http-load/load.js';

/** Messages that the flood sends again and again. */
export type Lane =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Announcements of unknown transactions, different ones each time. */
  | { readonly kind: 'inv' }
  /** A transaction with a wrong signature, changed each time. @property valueAt offset of the value of its first output */
  | { readonly kind: 'transactions'; readonly tx: Uint8Array; readonly valueAt: number }
  /** Connections that send a key (BIP-0324) and disconnect after they got the node's key. */
  | { readonly kind: 'handshakes' };

export interface FloodOrder {
  readonly kind: 'flood';
  readonly port: number;
  readonly peers: number;
  readonly lane: Lane;
  /** Bytes that each connection sends first. */
  readonly greeting: Uint8Array;
  /** Rate of all peers together; null: as fast as the node reads. */
  readonly bytesPerSecond: number | null;
}

/** Starts a process that floods. */
export async function startFlooder(): Promise<Child> {
  const child = new Child('../peer-load/flood-child.js');
  await child.next('up');
  return child;
}

/** Starts a process that discards what it reads. */
export async function startSink(): Promise<{ readonly port: number; end(): void }> {
  const child = new Child('../peer-load/flood-child.js', ['--sink']);
  const { port } = await child.next('listening');
  return { port, end: () => child.end() };
}

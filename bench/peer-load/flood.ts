// Floods that peers send, and the processes that send and swallow them.
import { Child } from '../http-load/load.js';

/** Messages that the flood sends again and again. */
export type Lane =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Announcements of unknown transactions, others each time. */
  | { readonly kind: 'inv' }
  /** A transaction with a wrong signature, another each time. @property valueAt where its first output's value stands */
  | { readonly kind: 'transactions'; readonly tx: Uint8Array; readonly valueAt: number }
  /** Connections that offer a key (BIP-0324) and leave when they got the node's. */
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

/** A process that floods. */
export async function startFlooder(): Promise<Child> {
  const child = new Child('../peer-load/flood-child.js');
  await child.next('up');
  return child;
}

/** A process that reads whatever comes. */
export async function startSink(): Promise<{ readonly port: number; end(): void }> {
  const child = new Child('../peer-load/flood-child.js', ['--sink']);
  const { port } = await child.next('listening');
  return { port, end: () => child.end() };
}

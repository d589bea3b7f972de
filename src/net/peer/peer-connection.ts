// A connection as the node thread sees it, and where connections come from. Two implementations stand behind both:
// sockets of this thread (inline-lines.ts), and those of a thread of their own (thread/line-thread.ts).
import type { ProxyPlace } from '../options.js';
import type { TransportType } from '../transport/transport.js';
import type { Frame } from '../wire/frame.js';

/** Bytes waiting for a peer that does not read, beyond which it is given up. A few blocks and their announcements. */
export const MAX_UNREAD_BYTES = 32 << 20;
/** What is logged of such a peer. */
export const UNREAD = 'does not read what it is sent';
/** The name under which messages of unknown types are counted. */
export const OTHER = '*other*';

/** Bytes of each kind of message. */
export type MessageTotals = Map<string, number>;

export interface PeerConnectionEvents {
  /** There is a message to handle, or room to send again. */
  workPending(): void;
  /** The stream broke the protocol, or a message was unusable; `fatal` ends the connection. */
  fault(text: string, fatal: boolean): void;
  /** A message was sent. @param bytes of its payload @param size what it takes on the wire */
  sent(command: string, bytes: number, size: number): void;
  /** A message came whole. */
  received(command: string, bytes: number): void;
  /** The figures of the connection changed. */
  figuresChanged?(): void;
  closed(): void;
}

/** One connection to a peer. */
export interface PeerConnection {
  readonly closed: boolean;
  /** As getpeerinfo names it; `detecting` until the first bytes of an inbound peer have told. */
  readonly transportType: TransportType;
  /** BIP-0324's number of the connection, 32 bytes; null in the clear. */
  readonly sessionId: Uint8Array | null;
  /** The peer hung up at our key, as one that knows nothing of encryption. */
  readonly refused: boolean;
  /** Seconds of the last traffic, 0 before any. */
  readonly lastSend: number;
  readonly lastReceive: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly sentByMessage: MessageTotals;
  readonly receivedByMessage: MessageTotals;
  /** Monotonic milliseconds (this thread's) of the last whole message, or since when the one that has begun comes. */
  readonly progressMs: number;
  /** Bytes for the peer that it has not taken, and for how many ms it took none of them. */
  readonly unsent: number;
  readonly stuckMs: number;
  /** Bytes of the peer that are not handled. */
  readonly held: number;
  /** Whether so much waits to be sent that the peer's requests have to wait too. */
  readonly sendPaused: boolean;
  /** Whether there is a whole message, or something that can't become one. */
  readonly hasMessage: boolean;
  /** Whether there is a whole message. */
  readonly hasWhole: boolean;
  /** Whether there is a whole message anywhere, or something that can't become one: also one that cannot be taken yet. */
  readonly holdsWhole: boolean;
  /** Takes the next message; undefined when there is none, it was unusable, or it is so long that more steps follow. */
  shift(): Frame | undefined;
  send(command: string, payload?: Uint8Array): void;
  /** Ends the connection at once; closed() follows. */
  close(): void;
}

export interface PeerConnectionOptions {
  /** Whether BIP-0324 is tried, where there are keys for it. */
  readonly encrypted: boolean;
  /** We called. */
  readonly initiating: boolean;
}

/** A connection that is there, of which nothing is read before it has an owner. */
export interface NewConnection<L extends PeerConnection = PeerConnection> {
  /** Takes it; reading begins. No event comes before this returns. */
  start(options: PeerConnectionOptions, events: PeerConnectionEvents): L;
  /** Ends it. */
  drop(): void;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A connection that was made to us, and its ends. */
export interface IncomingConnection<L extends PeerConnection = PeerConnection> {
  readonly connection: NewConnection<L>;
  readonly remote: Endpoint;
  /** Our end as text, host:port. */
  readonly bindText: string;
}

/** A way through a SOCKS5 proxy. */
export type SocksProxy = ProxyPlace & {
  /** User and password in one: different ones make Tor use different circuits; null: none. */
  readonly credentials: string | null;
};

/** Where connections come from. */
export interface ConnectionFactory<L extends PeerConnection = PeerConnection> {
  /** Whether calls make sense now: it may be that what has the sockets is started again. */
  readonly ready: boolean;
  /**
   * Listens, for as long as this is open.
   * @returns the port, chosen by the system where 0 was asked for
   * @throws Error with the system's code
   */
  listen(at: Endpoint, onConnection: (incoming: IncomingConnection<L>) => void): Promise<number>;
  /**
   * Connects, itself or through a proxy that looks names up.
   * @throws Error with a short reason
   */
  open(
    where: Endpoint,
    proxy: SocksProxy | null,
    timeoutMs: number,
  ): Promise<{ readonly connection: NewConnection<L>; readonly bindText: string }>;
  /** Ends listeners, attempts and connections. */
  close(): Promise<void>;
}

/** Adds to one of the totals. */
export function count(totals: MessageTotals, command: string, bytes: number): void {
  totals.set(command, (totals.get(command) ?? 0) + bytes);
}

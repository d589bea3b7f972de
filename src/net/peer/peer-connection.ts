// A peer's connection as the node thread sees it, and the factory of connections. Both have two implementations:
// sockets of this thread (inline-connection-factory.ts), and sockets of the peers' thread
// (thread/threaded-connection-factory.ts).
import type { ProxyPlace } from '../options.js';
import type { TransportType } from '../transport/transport.js';
import type { Frame } from '../wire/frame.js';

/** Unread bytes above which a peer is disconnected: a few blocks and their announcements. */
export const MAX_UNREAD_BYTES = 32 << 20;
/** Fault text for a peer that exceeded MAX_UNREAD_BYTES. */
export const UNREAD = 'does not read what it is sent';
/** Name under which messages of unknown types are counted. */
export const OTHER = '*other*';

/** Bytes by message name. */
export type MessageTotals = Map<string, number>;

export interface PeerConnectionEvents {
  /** Called when a message is available, or when the send queue has drained. */
  workPending(): void;
  /** Called when the stream broke the protocol or a message was unusable; `fatal` means that the connection ends. */
  fault(text: string, fatal: boolean): void;
  /** Called after a message was sent. @param bytes of its payload @param size bytes on the wire */
  sent(command: string, bytes: number, size: number): void;
  /** Called when a message was received completely. */
  received(command: string, bytes: number): void;
  /** Called when a figure of the connection changed. */
  figuresChanged?(): void;
  closed(): void;
}

export interface PeerConnection {
  readonly closed: boolean;
  /** Transport as getpeerinfo names it; `detecting` until the first bytes of an inbound peer have arrived. */
  readonly transportType: TransportType;
  /** BIP-0324 session id, 32 bytes; null without encryption. */
  readonly sessionId: Uint8Array | null;
  /** True if the peer closed the connection when it received the key, as nodes without encryption do. */
  readonly refused: boolean;
  /** Seconds of the last traffic; 0 before any. */
  readonly lastSend: number;
  readonly lastReceive: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly sentByMessage: MessageTotals;
  readonly receivedByMessage: MessageTotals;
  /** Monotonic time (this thread's, ms) of the last complete message, or of the start of the incomplete one. */
  readonly progressMs: number;
  /** Bytes that the peer has not read, and ms for which it has read none of them. */
  readonly unsent: number;
  readonly stuckMs: number;
  /** Bytes of the peer that are not handled yet. */
  readonly held: number;
  /** True if so much is unsent that requests of the peer have to wait. */
  readonly sendPaused: boolean;
  /** True if a complete message is available, or a fault to report. */
  readonly hasMessage: boolean;
  /** True if a complete message is available. */
  readonly hasWhole: boolean;
  /** True if a complete message or a fault is held on any thread, even if shift() cannot return it yet. */
  readonly holdsWhole: boolean;
  /** Takes the next message. Undefined if there is none, it was unusable, or its checksum takes more steps. */
  shift(): Frame | undefined;
  /** Gives back the memory of a payload. The caller must have the only reference to it. */
  reuse(payload: Uint8Array): void;
  send(command: string, payload?: Uint8Array): void;
  /** Closes the connection immediately. closed() is called. */
  close(): void;
}

export interface PeerConnectionOptions {
  /** True to try BIP-0324, if key exchange is available. */
  readonly encrypted: boolean;
  /** True if this node opened the connection. */
  readonly initiating: boolean;
}

/** A connection that is established. Nothing is read before it has an owner. */
export interface NewConnection<L extends PeerConnection = PeerConnection> {
  /** Takes the connection and starts to read. No event is emitted before this returns. */
  start(options: PeerConnectionOptions, events: PeerConnectionEvents): L;
  /** Closes the connection. */
  drop(): void;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** An inbound connection with both of its addresses. */
export interface IncomingConnection<L extends PeerConnection = PeerConnection> {
  readonly connection: NewConnection<L>;
  readonly remote: Endpoint;
  /** Own address as text, host:port. */
  readonly bindText: string;
}

/** Address of a SOCKS5 proxy with credentials. */
export type SocksProxy = ProxyPlace & {
  /** User and password in one string. Tor uses different circuits for different ones; null: none. */
  readonly credentials: string | null;
};

/** Opens listeners and connections. */
export interface ConnectionFactory<L extends PeerConnection = PeerConnection> {
  /** True if connection attempts make sense now. False while the peers' thread is being restarted. */
  readonly ready: boolean;
  /**
   * Listens until close().
   * @returns the port, chosen by the system if 0 was requested
   * @throws Error with the system's code
   */
  listen(at: Endpoint, onConnection: (incoming: IncomingConnection<L>) => void): Promise<number>;
  /**
   * Connects, directly or through a proxy that resolves names.
   * @throws Error with a short reason
   */
  open(
    where: Endpoint,
    proxy: SocksProxy | null,
    timeoutMs: number,
  ): Promise<{ readonly connection: NewConnection<L>; readonly bindText: string }>;
  /** Closes listeners, pending attempts and connections. */
  close(): Promise<void>;
}

/** Adds bytes to the total of a message. */
export function count(totals: MessageTotals, command: string, bytes: number): void {
  totals.set(command, (totals.get(command) ?? 0) + bytes);
}

// A front's connections to the broker, one for small and one for large messages, and its requests to nodes over them.
import { randomBytes } from 'node:crypto';
import { Broker, type BrokerEvents, jetstream, Kvm } from '../broker.js';
import { encode, type FrontMessage, type NodeMessage, readNodeMessage, readPiece, type TemplateHead } from '../messages.js';
import type { FleetFrontOptions } from '../options.js';
import { ShareOutlet } from '../shares.js';
import type { Subjects } from '../subjects.js';

/** Longest wait for the broker's store, and for an answer of a node with the pieces of a template. */
const STORE_MS = 1_000;
const PIECES_MS = 5_000;
/** Wait before a request is answered with null while the broker is not connected. */
const DISCONNECTED_MS = 100;
/** Size of pieces until the broker has reported its own limit, bytes. */
const FIRST_PIECE_BYTES = 1 << 16;

export interface BrokerLinkEvents extends BrokerEvents {
  /** Called with facts and heads of nodes. */
  onPublication(bytes: Uint8Array): void;
  /** Called with a message of a node that answers no request of this class. */
  onMessage(message: NodeMessage): void;
  /** Called when no node has received a message. @param token see `send` */
  onNoResponder(token: string): void;
}

export class BrokerLink {
  /** Number of templates whose pieces were read from the broker's store, and from the node itself. */
  readonly fetched = { store: 0, node: 0 };
  readonly #options: FleetFrontOptions;
  readonly #subjects: Subjects;
  readonly #inbox = `_INBOX.${randomBytes(12).toString('hex')}`;
  /** Receivers of answers, by the subject of the answer. null: the node did not receive the request. */
  readonly #requests = new Map<string, (message: NodeMessage | null) => void>();
  readonly #shares: ShareOutlet;
  #lastRequest = 0;
  #small: Broker | null = null;
  #large: Broker | null = null;

  constructor(options: FleetFrontOptions, subjects: Subjects) {
    this.#options = options;
    this.#subjects = subjects;
    this.#shares = new ShareOutlet(subjects.share(options.account));
  }

  get connected(): boolean {
    return this.#small?.connected ?? false;
  }
  get pieceBytes(): number {
    return this.#small?.pieceBytes ?? FIRST_PIECE_BYTES;
  }
  get largePieceBytes(): number {
    return this.#large?.pieceBytes ?? FIRST_PIECE_BYTES;
  }

  /** Connects to the broker. @returns false when `signal` is aborted meanwhile */
  async start(events: BrokerLinkEvents, signal: AbortSignal): Promise<boolean> {
    const name = `adit-front ${this.#options.account}`;
    try {
      this.#small = await Broker.connect(this.#options, name, events, signal);
      this.#large = await Broker.connect(
        this.#options,
        `${name} templates`,
        { onChange: () => {}, onError: (text) => events.onError(text) },
        signal,
      );
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
    const onPublication = (message: { readonly data: Uint8Array }): void => events.onPublication(message.data);
    this.#small.subscribe(this.#subjects.fact('*'), onPublication);
    this.#small.subscribe(this.#subjects.stored(this.#subjects.headKey('*')), onPublication);
    for (const broker of [this.#small, this.#large]) {
      broker.subscribe(`${this.#inbox}.${broker === this.#small ? 's' : 'l'}.*`, ({ subject, data, headers }) => {
        const asked = this.#requests.get(subject);
        // The broker replies with 503 if no node has subscribed.
        if (headers?.code === 503) {
          events.onNoResponder(subject.slice(subject.lastIndexOf('.') + 1));
          asked?.(null);
          return;
        }
        const message = readNodeMessage(data);
        if (message === null) return;
        if (asked === undefined || message.kind === 'fact') events.onMessage(message);
        else asked(message);
      });
    }
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([this.#small?.close(), this.#large?.close()]).catch(() => {});
  }

  /** Receives the pieces of a node's templates. @returns the subscription; null before the connection is established */
  subscribePieces(
    node: string,
    onPiece: (at: number, piece: NonNullable<ReturnType<typeof readPiece>>) => void,
  ): { unsubscribe(): void } | null {
    const subject = this.#subjects.stored(this.#subjects.pieceKey(node, '*'));
    const receive = (message: { readonly subject: string; readonly data: Uint8Array }): void => {
      const piece = readPiece(message.data);
      if (piece) onPiece(Number(message.subject.slice(message.subject.lastIndexOf('.') + 1)), piece);
    };
    return this.#large?.subscribe(subject, receive) ?? null;
  }

  /** Sends a message to a node. @param token last part of the subject to which the node sends its answers */
  send(node: string, token: string, body: Uint8Array, isLarge: boolean): void {
    const broker = isLarge ? this.#large : this.#small;
    broker?.publish(this.#callSubject(node), body, `${this.#inbox}.${isLarge ? 'l' : 's'}.${token}`);
  }

  #callSubject(node: string): string {
    return this.#subjects.call(node, this.#options.account);
  }

  /** Sends one request to a node. @returns null if the node does not answer */
  request(node: string, message: FrontMessage, timeoutMs: number): Promise<NodeMessage | null> {
    const broker = this.#small;
    if (!broker?.connected) return new Promise((resolve) => setTimeout(resolve, DISCONNECTED_MS, null));
    return this.#ask<NodeMessage>(broker, 's', node, message, timeoutMs, (answer, end) => end(answer));
  }

  /**
   * Sends a request.
   * @param onAnswer called with each answer, and with null when the node did not receive the request; `end` ends the request
   * @returns what `end` was given; null when the time is over
   */
  #ask<T>(
    broker: Broker,
    size: 's' | 'l',
    node: string,
    message: FrontMessage,
    timeoutMs: number,
    onAnswer: (answer: NodeMessage | null, end: (result: T | null) => void) => void,
  ): Promise<T | null> {
    const subject = `${this.#inbox}.${size}.r${++this.#lastRequest}`;
    return new Promise((resolve) => {
      const end = (result: T | null): void => {
        clearTimeout(timer);
        this.#requests.delete(subject);
        resolve(result);
      };
      const timer = setTimeout(() => end(null), timeoutMs);
      this.#requests.set(subject, (answer) => onAnswer(answer, end));
      broker.publish(this.#callSubject(node), encode(message), subject);
    });
  }

  /** Publishes records of shares. @returns false if the broker may not have them */
  publishShares(records: Uint8Array): Promise<boolean> {
    return this.#shares.publishShares(this.#small, records);
  }

  /** Stores a found block in the stream. @throws Error if the stream does not confirm the message */
  async storeFound(body: Uint8Array, id: string): Promise<void> {
    if (!this.#large?.connected) throw new Error('the broker is not connected');
    const subject = this.#subjects.found(this.#options.account);
    await jetstream(this.#large.nc, { timeout: STORE_MS }).publish(subject, body, { msgID: id });
  }

  /** Returns the transactions of a template whose pieces did not all arrive: from the store, or else from the node itself. */
  async fetchTransactions(node: string, head: TemplateHead): Promise<Uint8Array | null> {
    const stored = await this.#fromStore(node, head).catch(() => null);
    if (stored !== null) this.fetched.store++;
    const packed = stored ?? (await this.#fromNode(node, head));
    if (stored === null && packed !== null) this.fetched.node++;
    return packed;
  }

  async #fromStore(node: string, head: TemplateHead): Promise<Uint8Array | null> {
    if (!this.#large?.connected) return null;
    const bucket = await new Kvm(jetstream(this.#large.nc, { timeout: STORE_MS })).open(this.#subjects.bucket, { allow_direct: true });
    const pieces = await Promise.all(
      Array.from({ length: head.pieces }, async (_, i) => {
        const entry = await bucket.get(this.#subjects.pieceKey(node, i));
        const piece = entry && readPiece(entry.value);
        return piece?.digestHex === head.digestHex ? piece.bytes : null;
      }),
    );
    return pieces.includes(null) ? null : Buffer.concat(pieces as Uint8Array[]);
  }

  #fromNode(node: string, { digestHex }: TemplateHead): Promise<Uint8Array | null> {
    const broker = this.#large;
    if (!broker?.connected) return Promise.resolve(null);
    const pieces: Uint8Array[] = [];
    return this.#ask<Uint8Array>(broker, 'l', node, { kind: 'template', digestHex }, PIECES_MS, (message, end) => {
      if (message?.kind !== 'result' || message.at !== pieces.length) {
        end(null);
        return;
      }
      pieces.push(new Uint8Array(message.bytes));
      if (pieces.length === message.of) end(Buffer.concat(pieces));
    });
  }
}

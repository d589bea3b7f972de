// One connected client: its socket, its connection, the templates that were sent to it, and its requests.
import type net from 'node:net';
import type { Reserve } from '../../mining/index.js';
import { MESSAGE } from '../codec/frame.js';
import { type CoinbaseOutputConstraints, encodeTransactionDataError, type TransactionDataError } from '../codec/template-messages.js';
import { type CloseReason, type ConnectionDeps, Sv2Connection } from '../connection.js';
import type { ServeCounters } from './counters.js';
import type { ClientInfo } from './messages.js';
import type { NumberedTemplate, TemplateTable } from './template-table.js';

/** Largest number of unread bytes of a client before it is closed. An answer with a block's transactions comes on top. */
export const MOST_UNREAD_BYTES = 4 << 20;

/** Number of templates per client that are retained for the client's solutions: the last ones that were sent to it. */
const MOST_HELD = 16;

/** Returns text of a client for the log: at most 64 characters of printable ASCII. */
export const printable = (text: string): string => text.slice(0, 64).replaceAll(/[^\x20-\x7e]/g, '?');

export class Client {
  readonly connection: Sv2Connection;
  /** Address with port. */
  readonly address: string;
  /** Name under which the client's connections are counted; null for this machine. */
  readonly source: string | null;
  /** Time of the connection in milliseconds since 1970. */
  readonly connectedMs: number;
  /** Time since which the client has to act (handshake, SetupConnection), by the monotonic clock. */
  sinceMs: number;
  vendor = '';
  firmware = '';
  constraints: CoinbaseOutputConstraints | null = null;
  /** Key of the client's reserve; null before the client's constraints take effect. */
  key: string | null = null;
  /** Template on which the client works. */
  working: NumberedTemplate | null = null;
  /** Staged template that the client has, for the height after that of `working`. */
  staged: NumberedTemplate | null = null;
  /** Highest template id that was sent to the client. */
  highestId = 0n;
  /** Smallest template id for the present constraints. Templates with smaller ids were made for earlier constraints. */
  staleBelow = 0n;
  /** Templates that were sent to the client last, oldest first. */
  readonly #held: NumberedTemplate[] = [];
  /** Time from which the client's next constraints may take effect, by the monotonic clock. */
  constraintsAtMs = 0;
  /** Latest constraints that have not taken effect yet, as a reserve. */
  waiting: Reserve | null = null;
  /** Requests for transactions, answered one at a time. */
  readonly requests: bigint[] = [];
  /** True while an answer with transactions is being sent. */
  answering = false;
  templatesSent = 0;
  solutions = 0;
  bytesReceived = 0;
  closed = false;
  /** Number of bytes that the kernel had taken at the last check, and the time since which it has taken no more. */
  progress = { taken: 0, sinceMs: 0 };
  readonly #counters: ServeCounters;
  readonly #table: Pick<TemplateTable, 'retain' | 'release'>;

  constructor(
    readonly id: number,
    readonly socket: net.Socket,
    from: { readonly address: string; readonly source: string | null },
    deps: ConnectionDeps,
    counters: ServeCounters,
    board: Pick<TemplateTable, 'retain' | 'release'>,
    times: { readonly connectedMs: number; readonly sinceMs: number },
  ) {
    this.#counters = counters;
    this.#table = board;
    this.connection = new Sv2Connection(deps);
    this.address = from.address;
    this.source = from.source;
    this.connectedMs = times.connectedMs;
    this.sinceMs = times.sinceMs;
  }

  /** Address without the port. */
  get host(): string {
    return this.address.slice(0, this.address.lastIndexOf(':'));
  }

  /** Name for the log. */
  get name(): string {
    return this.vendor === '' ? `client ${this.id}` : `client ${this.id} ${JSON.stringify(printable(this.vendor))}`;
  }

  /** Number of bytes in chunks that the kernel has accepted completely. */
  get taken(): number {
    return this.socket.bytesWritten - this.socket.writableLength;
  }

  /** True if templates may be sent to the client. */
  get ready(): boolean {
    return this.key !== null && !this.closed;
  }

  /** Writes bytes to the socket. @param done called when the kernel has the bytes */
  writeBytes(bytes: Uint8Array, done?: () => void): void {
    if (this.closed) return;
    this.#counters.add('bytesSent', bytes.length);
    this.socket.write(bytes, done);
  }

  /** Sends a complete template for the tip that was sent to the client last. */
  sendTemplate(template: NumberedTemplate): void {
    this.writeBytes(this.connection.seal(MESSAGE.NEW_TEMPLATE, template.payload));
    this.working = template;
    this.#noteSent(template, false);
  }

  /** Sends a template for the height after the next. */
  sendStaged(template: NumberedTemplate): void {
    this.writeBytes(this.connection.seal(MESSAGE.NEW_TEMPLATE, template.futurePayload));
    this.staged = template;
    this.#noteSent(template, true);
  }

  /** Sends SetNewPrevHash for the template that the client holds. @param payload contains that template's id */
  activate(template: NumberedTemplate, payload: Uint8Array): void {
    this.writeBytes(this.connection.seal(MESSAGE.SET_NEW_PREV_HASH, payload));
    this.#counters.add('activated');
    this.#follows(template);
  }

  /** Sends a template and its SetNewPrevHash in one write. */
  sendPair(template: NumberedTemplate, payload: Uint8Array): void {
    const first = this.connection.seal(MESSAGE.NEW_TEMPLATE, template.futurePayload);
    this.writeBytes(Buffer.concat([first, this.connection.seal(MESSAGE.SET_NEW_PREV_HASH, payload)]));
    this.#noteSent(template, false);
    this.#follows(template);
  }

  #follows(template: NumberedTemplate): void {
    this.#counters.add('prevHashes');
    this.staged = null;
    this.working = template;
  }

  sendData(payload: Uint8Array, done: () => void): void {
    this.#counters.add('dataReplies');
    this.writeBytes(this.connection.seal(MESSAGE.REQUEST_TRANSACTION_DATA_SUCCESS, payload), done);
  }

  sendDataError(id: bigint, error: TransactionDataError): void {
    this.#counters.add('dataErrors');
    this.writeBytes(this.connection.seal(MESSAGE.REQUEST_TRANSACTION_DATA_ERROR, encodeTransactionDataError(id, error)));
  }

  info(): ClientInfo {
    return {
      id: this.id,
      address: this.address,
      vendor: printable(this.vendor),
      firmware: printable(this.firmware),
      connectedMs: this.connectedMs,
      constraints: this.constraints,
      templatesSent: this.templatesSent,
      solutions: this.solutions,
      bytesSent: this.socket.bytesWritten,
      bytesReceived: this.bytesReceived,
    };
  }

  /** Releases the client's templates after it has disconnected. */
  releaseTemplates(): void {
    for (const template of this.#held.splice(0)) this.#table.release(template);
  }

  #retain(template: NumberedTemplate): void {
    this.#table.retain(template);
    this.#held.push(template);
    if (this.#held.length <= MOST_HELD) return;
    const at = this.#held.findIndex((one) => one !== this.working && one !== this.staged);
    for (const one of this.#held.splice(at, 1)) this.#table.release(one);
  }

  #noteSent(template: NumberedTemplate, staged: boolean): void {
    this.templatesSent++;
    this.#retain(template);
    if (template.id > this.highestId) this.highestId = template.id;
    this.#counters.add(staged ? 'templatesStaged' : template.served.kind === 'full' ? 'templatesFull' : 'templatesEmpty');
  }
}

/** Close reasons of the server, besides those of the connection. */
export type ClientCloseReason = CloseReason | 'constraints' | 'unread' | 'limit';

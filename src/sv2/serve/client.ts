// One connected client: its socket, its connection machine, what it was told and what it asked for.
import type net from 'node:net';
import type { Reserve } from '../../mining/messages.js';
import { MESSAGE } from '../codec/frame.js';
import { type CoinbaseOutputConstraints, encodeTransactionDataError, type TransactionDataError } from '../codec/template-messages.js';
import { type CloseReason, type ConnectionDeps, Sv2Connection } from '../connection.js';
import type { ServeCounters } from './counters.js';
import type { ClientInfo } from './messages.js';
import type { NumberedTemplate, TemplateTable } from './template-table.js';

/** Bytes that a client may leave unread before it is closed; an answer with a block's transactions comes on top. */
export const MOST_UNREAD_BYTES = 4 << 20;

/** Templates that a client may come back with though many others are made: those it was told of last. */
const MOST_HELD = 16;

/** Text of strangers for the log: printable ASCII, not much of it. */
export const printable = (text: string): string => text.slice(0, 64).replaceAll(/[^\x20-\x7e]/g, '?');

export class Client {
  readonly connection: Sv2Connection;
  /** With its port. */
  readonly address: string;
  /** Under which its connections are counted; null: this machine. */
  readonly source: string | null;
  /** Since 1970. */
  readonly connectedMs: number;
  /** When what it has to do next was up to it, by the monotonic clock. */
  sinceMs: number;
  vendor = '';
  firmware = '';
  constraints: CoinbaseOutputConstraints | null = null;
  /** Of its reserve; null before its constraints. */
  key: string | null = null;
  /** What it was last told to work on, and what it holds for the next height. */
  working: NumberedTemplate | null = null;
  staged: NumberedTemplate | null = null;
  /** Of all templates it was told of. */
  highestId = 0n;
  /** Templates with smaller ids were made for other constraints. */
  staleBelow = 0n;
  /** What it was told of last, oldest first. */
  readonly #held: NumberedTemplate[] = [];
  /** When its next constraints may take effect, by the monotonic clock; those that wait for it, latest only. */
  constraintsAtMs = 0;
  waiting: Reserve | null = null;
  /** Asked for transactions, answered one at a time. */
  readonly requests: bigint[] = [];
  /** An answer with transactions is on its way. */
  answering = false;
  templatesSent = 0;
  solutions = 0;
  bytesReceived = 0;
  closed = false;
  /** What it had taken of what was written to it, and since when it has taken no more. */
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

  /** Its address without the port. */
  get host(): string {
    return this.address.slice(0, this.address.lastIndexOf(':'));
  }

  /** For the log. */
  get name(): string {
    return this.vendor === '' ? `client ${this.id}` : `client ${this.id} ${JSON.stringify(printable(this.vendor))}`;
  }

  /** Bytes of the writes that the kernel has wholly. */
  get taken(): number {
    return this.socket.bytesWritten - this.socket.writableLength;
  }

  /** Ready for templates. */
  get ready(): boolean {
    return this.key !== null && !this.closed;
  }

  /** @param done called when the kernel has the bytes */
  writeBytes(bytes: Uint8Array, done?: () => void): void {
    if (this.closed) return;
    this.#counters.add('bytesSent', bytes.length);
    this.socket.write(bytes, done);
  }

  /** A whole template for the tip it was told of last. */
  sendTemplate(template: NumberedTemplate): void {
    this.writeBytes(this.connection.seal(MESSAGE.NEW_TEMPLATE, template.payload));
    this.working = template;
    this.#noteSent(template, false);
  }

  /** A template for the height after the next. */
  sendStaged(template: NumberedTemplate): void {
    this.writeBytes(this.connection.seal(MESSAGE.NEW_TEMPLATE, template.futurePayload));
    this.staged = template;
    this.#noteSent(template, true);
  }

  /** SetNewPrevHash for the template that the client holds for it. @param payload with that template's id */
  activate(template: NumberedTemplate, payload: Uint8Array): void {
    this.writeBytes(this.connection.seal(MESSAGE.SET_NEW_PREV_HASH, payload));
    this.#counters.add('activated');
    this.#follows(template);
  }

  /** A template and its SetNewPrevHash, in one write. */
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

  /** It has gone: it comes back with nothing. */
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

/** Reasons of this room besides those of the connection. */
export type ClientCloseReason = CloseReason | 'constraints' | 'unread' | 'limit';

// A Stratum V2 template client for tests, with its own codec: connects, sets up, stores the messages that it receives,
// and mines on regtest's easy target.
import { once } from 'node:events';
import net from 'node:net';
import { grind, type Header, hash256, serializeTx, shown, TRUE_SCRIPT, type Tx, txid } from './messages.js';
import { authorityOf, NoiseInitiator } from './sv2-noise.js';
import { PATIENCE_MS } from './until.js';

export interface TemplateMessage {
  readonly kind: 'template';
  readonly id: bigint;
  readonly future: boolean;
  readonly version: number;
  readonly coinbaseVersion: number;
  readonly prefix: Buffer;
  readonly sequence: number;
  readonly value: number;
  readonly outputCount: number;
  readonly outputs: Buffer;
  readonly locktime: number;
  readonly path: readonly Buffer[];
}
export interface PrevHashMessage {
  readonly kind: 'prevhash';
  readonly id: bigint;
  readonly prevHash: Buffer;
  readonly time: number;
  readonly bits: number;
  readonly target: Buffer;
}
export type Sv2Message =
  | TemplateMessage
  | PrevHashMessage
  | { readonly kind: 'setup-success'; readonly version: number; readonly flags: number }
  | { readonly kind: 'setup-error'; readonly flags: number; readonly code: string }
  | { readonly kind: 'data'; readonly id: bigint; readonly excess: Buffer; readonly transactions: readonly Buffer[] }
  | { readonly kind: 'data-error'; readonly id: bigint; readonly code: string }
  | { readonly kind: 'extensions-error'; readonly request: number; readonly unsupported: readonly number[]; readonly required: number }
  | { readonly kind: 'other'; readonly extension: number; readonly type: number; readonly payload: Buffer };

export function decodeMessage(extension: number, type: number, p: Buffer): Sv2Message {
  let at = 0;
  const take = (n: number): Buffer => {
    if (at + n > p.length) throw new Error(`message ${type} is too short`);
    return p.subarray(at, (at += n));
  };
  const u8 = (): number => take(1).readUInt8();
  const u16 = (): number => take(2).readUInt16LE();
  const u32 = (): number => take(4).readUInt32LE();
  const u64 = (): bigint => take(8).readBigUInt64LE();
  const message = ((): Sv2Message => {
    if (extension === 1 && type === 2) {
      const request = u16();
      const unsupported = Array.from({ length: u16() }, u16);
      return { kind: 'extensions-error', request, unsupported, required: u16() };
    }
    if (extension !== 0) return { kind: 'other', extension, type, payload: take(p.length) };
    switch (type) {
      case 0x01:
        return { kind: 'setup-success', version: u16(), flags: u32() };
      case 0x02:
        return { kind: 'setup-error', flags: u32(), code: take(u8()).toString('latin1') };
      case 0x71:
        return {
          kind: 'template',
          id: u64(),
          future: u8() === 1,
          version: u32(),
          coinbaseVersion: u32(),
          prefix: take(u8()),
          sequence: u32(),
          value: Number(u64()),
          outputCount: u32(),
          outputs: take(u16()),
          locktime: u32(),
          path: Array.from({ length: u8() }, () => take(32)),
        };
      case 0x72:
        return { kind: 'prevhash', id: u64(), prevHash: take(32), time: u32(), bits: u32(), target: take(32) };
      case 0x74:
        return {
          kind: 'data',
          id: u64(),
          excess: take(u16()),
          transactions: Array.from({ length: u16() }, () => take(take(3).readUIntLE(0, 3))),
        };
      case 0x75:
        return { kind: 'data-error', id: u64(), code: take(u8()).toString('latin1') };
      default:
        return { kind: 'other', extension, type, payload: take(p.length) };
    }
  })();
  if (at !== p.length) throw new Error(`message ${type} has ${p.length - at} bytes too many`);
  return message;
}

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, 'latin1')]);

/** Returns the payload of SetupConnection for template distribution. */
export function setupPayload(change: { protocol?: number; min?: number; max?: number; flags?: number; vendor?: string } = {}): Buffer {
  const numbers = Buffer.alloc(9);
  numbers[0] = change.protocol ?? 2;
  numbers.writeUInt16LE(change.min ?? 2, 1);
  numbers.writeUInt16LE(change.max ?? 2, 3);
  numbers.writeUInt32LE(change.flags ?? 0, 5);
  return Buffer.concat([numbers, text('127.0.0.1'), Buffer.from([0, 0]), text(change.vendor ?? 'test'), text(''), text(''), text('')]);
}

export function constraintsPayload(size: number, sigops: number): Buffer {
  const out = Buffer.alloc(6);
  out.writeUInt32LE(size, 0);
  out.writeUInt16LE(sigops, 4);
  return out;
}

/** A solution that a client mined. */
export interface Sv2Solution {
  readonly hashHex: string;
  readonly coinbase: Tx;
  /** Payload of SubmitSolution. */
  readonly payload: Buffer;
}

let extraNonce = 0;

/** Solves a template. Anyone can spend its reward. */
export function solve(template: TemplateMessage, prevHash: PrevHashMessage, change: { locktime?: number } = {}): Sv2Solution {
  const own = Buffer.alloc(8);
  own.writeUInt32LE(process.pid, 0);
  own.writeUInt32LE(extraNonce++, 4);
  const outs: { value: number; script: Buffer }[] = [{ value: template.value, script: TRUE_SCRIPT }];
  let at = 0;
  for (let i = 0; i < template.outputCount; i++) {
    const length = template.outputs[at + 8] as number;
    outs.push({ value: Number(template.outputs.readBigUInt64LE(at)), script: template.outputs.subarray(at + 9, at + 9 + length) });
    at += 9 + length;
  }
  const coinbase: Tx = {
    version: template.coinbaseVersion,
    ins: [
      {
        txid: Buffer.alloc(32),
        index: 0xffffffff,
        script: Buffer.concat([template.prefix, own]),
        sequence: template.sequence,
        witness: [Buffer.alloc(32)],
      },
    ],
    outs,
    locktime: change.locktime ?? template.locktime,
  };
  const header: Header = {
    version: template.version,
    prev: prevHash.prevHash,
    merkleRoot: template.path.reduce((hash, sibling) => hash256(Buffer.concat([hash, sibling])), txid(coinbase)),
    time: prevHash.time,
    bits: prevHash.bits,
    nonce: 0,
  };
  const hashHex = shown(grind(header));
  const bytes = serializeTx(coinbase);
  const payload = Buffer.alloc(22 + bytes.length);
  payload.writeBigUInt64LE(template.id, 0);
  payload.writeInt32LE(header.version, 8);
  payload.writeUInt32LE(header.time, 12);
  payload.writeUInt32LE(header.nonce, 16);
  payload.writeUInt16LE(bytes.length, 20);
  bytes.copy(payload, 22);
  return { hashHex, coinbase, payload };
}

export class Sv2Client {
  readonly socket: net.Socket;
  readonly noise = new NoiseInitiator();
  /** Messages that next() has not returned yet; all messages. */
  readonly #queue: Sv2Message[] = [];
  readonly all: Sv2Message[] = [];
  readonly templates = new Map<bigint, TemplateMessage>();
  /** Template on which the client would mine now. */
  template: TemplateMessage | null = null;
  prevHash: PrevHashMessage | null = null;
  /** Faults that would break a client that trusts its provider. */
  readonly wrongs: string[] = [];
  closed = false;
  #buffer: Buffer = Buffer.alloc(0);
  #length = -1;
  #header: Buffer = Buffer.alloc(0);
  #stage: 'act2' | 'frames' = 'act2';
  #wake: () => void = () => {};
  readonly #authority: Buffer | null;
  /** Bytes that are held back instead of being read; null: bytes are read at once. */
  #held: Buffer[] | null = null;
  #onFirst: () => void = () => {};

  private constructor(socket: net.Socket, authority: Buffer | null) {
    this.socket = socket;
    this.#authority = authority;
    socket.on('data', (chunk: Buffer) => {
      if (this.#held === null) this.#read(chunk);
      else {
        if (this.#held.length === 0) this.#onFirst();
        this.#held.push(chunk);
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  /**
   * Connects and does the handshake.
   * @param authorityKey as getsv2info shows it; without it the certificate is not checked
   */
  static async open(port: number, authorityKey: string | null = null): Promise<Sv2Client> {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return Sv2Client.over(socket, authorityKey);
  }

  /** Makes the handshake over a connected socket. */
  static async over(socket: net.Socket, authorityKey: string | null = null): Promise<Sv2Client> {
    const client = new Sv2Client(socket, authorityKey === null ? null : authorityOf(authorityKey));
    socket.write(client.noise.act1);
    await client.#until(() => client.#stage === 'frames' || client.closed);
    return client;
  }

  /** Connects and sends SetupConnection and the constraints. */
  static async start(port: number, authorityKey: string | null = null, size = 100, sigops = 4): Promise<Sv2Client> {
    const client = await Sv2Client.open(port, authorityKey);
    await client.setUp(size, sigops);
    return client;
  }

  /** Sends SetupConnection, waits for the answer, and sends the constraints. */
  async setUp(size = 100, sigops = 4): Promise<void> {
    this.send(0x00, setupPayload());
    const answer = await this.next();
    if (answer.kind !== 'setup-success') throw new Error(`SetupConnection: ${JSON.stringify(answer)}`);
    this.send(0x70, constraintsPayload(size, sigops));
  }

  send(type: number, payload: Uint8Array, extension = 0): void {
    this.socket.write(this.noise.frame(extension, type, payload));
  }

  request(id: bigint): void {
    const payload = Buffer.alloc(8);
    payload.writeBigUInt64LE(id);
    this.send(0x73, payload);
  }

  submit(solution: Sv2Solution): void {
    this.send(0x76, solution.payload);
  }

  /** Waits for the next message. @throws Error if the connection ends or the timeout passes */
  async next(): Promise<Sv2Message> {
    await this.#until(() => this.#queue.length > 0 || this.closed);
    const message = this.#queue.shift();
    if (message === undefined) throw new Error('the connection was closed');
    return message;
  }

  /** Waits for the next message of a kind. Skips the messages before it. */
  async nextOf<K extends Sv2Message['kind']>(kind: K): Promise<Extract<Sv2Message, { kind: K }>> {
    for (;;) {
      const message = await this.next();
      if (message.kind === kind) return message as Extract<Sv2Message, { kind: K }>;
    }
  }

  /** Waits until the provider has sent work for this block (display hex). */
  async onTip(hashHex: string): Promise<void> {
    await this.#until(() => this.closed || (this.prevHash !== null && shown(this.prevHash.prevHash) === hashHex));
    if (this.closed) throw new Error('the connection was closed');
  }

  /** Waits until a condition on the received messages holds. */
  async told(check: () => boolean): Promise<void> {
    await this.#until(() => this.closed || check());
    if (this.closed) throw new Error('the connection was closed');
  }

  async ended(): Promise<void> {
    await this.#until(() => this.closed);
  }

  /** Holds back all bytes that arrive from now on. @param onFirst called when the first of them arrive */
  hold(onFirst: () => void): void {
    this.#held = [];
    this.#onFirst = onFirst;
  }

  /** Reads the bytes that were held back, and all later ones at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const chunk of held) this.#read(chunk);
  }

  close(): void {
    this.socket.destroy();
  }

  async #until(check: () => boolean): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!check()) {
      if (Date.now() > end) throw new Error('nothing came for a minute');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1000);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #read(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      if (this.#stage === 'act2') {
        if (this.#buffer.length < 234) break;
        this.noise.finish(this.#cut(234), this.#authority, Math.floor(Date.now() / 1000));
        this.#stage = 'frames';
      } else if (this.#length < 0) {
        if (this.#buffer.length < 22) break;
        this.#header = this.noise.open(this.#cut(22));
        this.#length = this.#header.readUIntLE(3, 3);
      } else {
        const sealed = this.#length + 16 * Math.ceil(this.#length / 65_519);
        if (this.#buffer.length < sealed) break;
        const parts: Buffer[] = [];
        const all = this.#cut(sealed);
        for (let at = 0; at < sealed; at += 65_535) parts.push(this.noise.open(all.subarray(at, at + 65_535)));
        this.#length = -1;
        this.#take(decodeMessage(this.#header.readUInt16LE(0), this.#header[2] as number, Buffer.concat(parts)));
      }
    }
    this.#wake();
  }

  #cut(length: number): Buffer {
    const piece = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return piece;
  }

  /** Processes a message as pools do, and records faults of the provider that would break them. */
  #take(message: Sv2Message): void {
    this.all.push(message);
    this.#queue.push(message);
    if (message.kind === 'template') {
      for (const id of this.templates.keys()) if (id >= message.id) this.wrongs.push(`template ${message.id} after ${id}`);
      this.templates.set(message.id, message);
      if (message.future) return;
      if (this.prevHash === null) this.wrongs.push('a template of a tip that was not named');
      this.template = message;
    } else if (message.kind === 'prevhash') {
      const template = this.templates.get(message.id);
      if (template?.future !== true) this.wrongs.push(`SetNewPrevHash for ${message.id}, which is no future template`);
      this.prevHash = message;
      this.template = template ?? null;
      // The channels of pools drop all other templates when the tip changes.
      for (const id of this.templates.keys()) if (id !== message.id) this.templates.delete(id);
    }
  }
}

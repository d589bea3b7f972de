// A peer for tests. Its implementation of the P2P protocol shares no code with the node's.
import net from 'node:net';
import { compactSize, hash256 } from './messages.js';
import { PATIENCE_MS } from './until.js';
import { V2Codec, type V2Manner } from './v2-codec.js';

const MAGIC = Buffer.from('fabfb5da', 'hex');
/** Message start of the main chain. */
export const MAIN_MAGIC = Buffer.from('f9beb4d9', 'hex');
const NONE = Buffer.alloc(0);

/** A received message. */
export interface Message {
  readonly command: string;
  readonly payload: Buffer;
}

/** Result of a codec: the number of bytes that it used, and the message in them, if there was one. */
export interface Cut {
  readonly used: number;
  readonly message: Message | null;
}

/** Converts messages to bytes and back. */
export interface Codec {
  encode(command: string, payload: Uint8Array): Buffer;
  /** Splits the first message off. @returns null while no message is complete */
  cut(buffer: Buffer): Cut | null;
}

/** Returns the bytes of an unencrypted message. */
export function framed(command: string, payload: Uint8Array = NONE, magic: Buffer = MAGIC): Buffer {
  const header = Buffer.alloc(24);
  magic.copy(header, 0);
  header.write(command, 4, 'latin1');
  header.writeUInt32LE(payload.length, 16);
  hash256(payload).copy(header, 20, 0, 4);
  return Buffer.concat([header, payload]);
}

/** Returns the payload of inv, getdata or notfound. */
export function invPayload(items: readonly (readonly [type: number, hash: Uint8Array])[]): Buffer {
  const rows = items.map(([type, hash]) => {
    const row = Buffer.alloc(36);
    row.writeUInt32LE(type, 0);
    row.set(hash, 4);
    return row;
  });
  return Buffer.concat([compactSize(items.length), ...rows]);
}

/** Returns the payload of headers. */
export function headersPayload(headers: readonly Uint8Array[]): Buffer {
  return Buffer.concat([compactSize(headers.length), ...headers.map((header) => Buffer.concat([header, Buffer.alloc(1)]))]);
}

/** Returns the payload of getheaders or getblocks. */
export function locatorPayload(locator: readonly Uint8Array[], stop: Uint8Array = Buffer.alloc(32)): Buffer {
  const version = Buffer.alloc(4);
  version.writeInt32LE(70016, 0);
  return Buffer.concat([version, compactSize(locator.length), ...locator, stop]);
}

/** Returns the payload of filterload (BIP-0037). */
export function filterPayload(bits: Uint8Array, hashFunctions: number, tweak = 0, flags = 0): Buffer {
  const tail = Buffer.alloc(9);
  tail.writeUInt32LE(hashFunctions, 0);
  tail.writeUInt32LE(tweak, 4);
  tail[8] = flags;
  return Buffer.concat([compactSize(bits.length), bits, tail]);
}

/** Codec of unencrypted messages on regtest. */
export const clear: Codec = {
  encode: (command, payload) => framed(command, payload),
  cut: (buffer) => {
    if (buffer.length < 24) return null;
    const length = buffer.readUInt32LE(16);
    if (buffer.length < 24 + length) return null;
    const command = buffer.subarray(4, 16).toString('latin1').replace(/\0+$/, '');
    return { used: 24 + length, message: { command, payload: Buffer.from(buffer.subarray(24, 24 + length)) } };
  },
};

/** Returns the codec of unencrypted messages on another network. */
export function clearOn(magic: Buffer): Codec {
  return { ...clear, encode: (command, payload) => framed(command, payload, magic) };
}

export interface Greeting {
  readonly version?: number;
  readonly services?: bigint;
  readonly startHeight?: number;
  readonly relay?: boolean;
  readonly wtxidRelay?: boolean;
  readonly userAgent?: string;
  /** Nonce of the version message, which differs between connections. */
  readonly nonce?: bigint;
  /** Seconds since 1970. */
  readonly time?: number;
}

/** Returns the payload of version. */
export function versionPayload({
  version = 70016,
  services = 9n,
  startHeight = 0,
  relay = true,
  userAgent = '/test:1/',
  nonce = BigInt(Math.floor(Math.random() * 2 ** 48)) + 2n,
  time = Math.floor(Date.now() / 1000),
}: Greeting): Buffer {
  const head = Buffer.alloc(20);
  head.writeInt32LE(version, 0);
  head.writeBigUInt64LE(services, 4);
  head.writeBigInt64LE(BigInt(time), 12);
  const address = Buffer.alloc(26);
  const tail = Buffer.alloc(5);
  tail.writeInt32LE(startHeight, 0);
  tail[4] = relay ? 1 : 0;
  const mark = Buffer.alloc(8);
  mark.writeBigUInt64LE(nonce);
  const agent = Buffer.from(userAgent, 'latin1');
  return Buffer.concat([head, address, address, mark, compactSize(agent.length), agent, tail]);
}

/** A connection to a node. */
export class P2pClient {
  readonly received: Message[] = [];
  #buffer = NONE;
  #waiters: (() => void)[] = [];
  #closed = false;

  codec: Codec = clear;

  private constructor(readonly socket: net.Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      this.#cut();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#tell();
    });
  }

  /** Connects without sending anything. */
  static async open(port: number, host = '127.0.0.1'): Promise<P2pClient> {
    const socket = net.connect({ port, host });
    const client = new P2pClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return client;
  }

  /** Connects and exchanges keys (BIP-0324). */
  static async openV2(port: number, manner: V2Manner = {}): Promise<{ client: P2pClient; codec: V2Codec }> {
    const client = await P2pClient.open(port);
    const codec = client.encrypt(manner);
    await client.until(() => codec.ready);
    return { client, codec };
  }

  /** Returns a client for a connection that another program opened. */
  static accept(socket: net.Socket): P2pClient {
    return new P2pClient(socket);
  }

  /** Starts BIP-0324: sends the key, and encrypts everything that follows. */
  encrypt(manner: V2Manner): V2Codec {
    const codec = new V2Codec((bytes) => this.raw(bytes), manner);
    this.codec = codec;
    this.raw(codec.hello());
    this.#cut();
    return codec;
  }

  /** Waits until a condition holds, which is checked whenever bytes arrive. */
  async until(done: () => boolean, timeoutMs = PATIENCE_MS): Promise<void> {
    for (const end = Date.now() + timeoutMs; !done(); ) {
      if (this.#closed) throw new Error('closed while waiting');
      if (!(await this.#more(end - Date.now()))) throw new Error('nothing came');
    }
  }

  /** Connects and makes the handshake. */
  static async connect(port: number, greeting: Greeting = {}): Promise<P2pClient> {
    const client = await P2pClient.open(port);
    await client.greet(greeting);
    return client;
  }

  /** Makes the handshake. @returns the node's version message */
  async greet(greeting: Greeting = {}): Promise<Buffer> {
    this.send('version', versionPayload(greeting));
    const version = await this.next('version');
    if (greeting.wtxidRelay !== false && (greeting.version ?? 70016) >= 70016) this.send('wtxidrelay');
    this.send('verack');
    await this.next('verack');
    return version;
  }

  get closed(): boolean {
    return this.#closed;
  }

  send(command: string, payload: Uint8Array = NONE): void {
    this.raw(this.codec.encode(command, payload));
  }
  raw(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Waits for the next message of a kind and removes it. Messages of other kinds stay in `received`. */
  async next(command: string, timeoutMs = PATIENCE_MS): Promise<Buffer> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const at = this.received.findIndex((message) => message.command === command);
      if (at >= 0) return (this.received.splice(at, 1)[0] as Message).payload;
      if (this.#closed) throw new Error(`closed while waiting for ${command}`);
      if (!(await this.#more(until - Date.now()))) throw new Error(`no ${command} came`);
    }
  }

  /** Resolves when the node has handled everything that was sent before, because it answers messages in order. */
  async sync(): Promise<void> {
    const nonce = Buffer.alloc(8);
    nonce.writeBigUInt64LE(BigInt(Math.floor(Math.random() * 2 ** 48)) + 1n);
    this.send('ping', nonce);
    for (;;) if ((await this.next('pong')).equals(nonce)) return;
  }

  /** Waits until the node closes the connection. */
  async ended(timeoutMs = PATIENCE_MS): Promise<boolean> {
    const until = Date.now() + timeoutMs;
    while (!this.#closed) if (!(await this.#more(until - Date.now()))) break;
    return this.#closed;
  }

  close(): void {
    this.socket.destroy();
  }

  #more(timeoutMs: number): Promise<boolean> {
    if (timeoutMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.#waiters.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  #tell(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  #cut(): void {
    for (;;) {
      const cut = this.codec.cut(this.#buffer);
      if (cut === null) return;
      this.#buffer = this.#buffer.subarray(cut.used);
      if (cut.message?.command === 'ping') this.send('pong', cut.message.payload);
      else if (cut.message !== null) this.received.push(cut.message);
      this.#tell();
    }
  }
}

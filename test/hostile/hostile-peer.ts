// A hostile connection: writes what its caller gives it, stores as little as possible of the replies, and counts.
import net from 'node:net';
import { clear, framed, type Greeting, versionPayload } from '../framework/p2p-client.js';

/** Counts of the attackers' actions and their results. */
export interface AttackCounts {
  connected: number;
  /** Connections that could not be made, or ended before a byte came. */
  refused: number;
  /** Connections that the node ended. */
  ended: number;
  messages: number;
  bytes: number;
}

/** Bytes waiting in our own socket before we wait ourselves. */
const FULL = 2 << 20;

export class HostilePeer {
  readonly #socket: net.Socket;
  #closed = false;
  #heard = false;
  #written = 0;
  #rest: Buffer = Buffer.alloc(0);
  #wake: (() => void)[] = [];
  /** Called for messages of the node, once set. */
  onMessage: ((command: string, payload: Buffer) => void) | null = null;

  private constructor(
    socket: net.Socket,
    private readonly counts: AttackCounts,
  ) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#heard = true;
      if (this.onMessage !== null) this.#cut(chunk);
      this.#tell();
    });
    socket.on('drain', () => this.#tell());
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#tell();
    });
  }

  /** Connects from one of many loopback addresses. @returns null when nobody answers */
  static async open(port: number, counts: AttackCounts): Promise<HostilePeer | null> {
    const socket = net.connect({ port, host: '127.0.0.1', localAddress: `127.${1 + rand(200)}.${rand(250)}.${1 + rand(250)}` });
    const peer = new HostilePeer(socket, counts);
    const made = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('close', () => resolve(false));
    });
    if (made) counts.connected++;
    else counts.refused++;
    return made ? peer : null;
  }

  /** Connects and goes through the handshake without listening to much of it. */
  static async greet(port: number, counts: AttackCounts, greeting: Greeting = {}): Promise<HostilePeer | null> {
    const peer = await HostilePeer.open(port, counts);
    if (peer === null) return null;
    await peer.write(framed('version', versionPayload({ userAgent: '/hostile:1/', ...greeting })));
    if (!(await peer.hears())) return null;
    await peer.write(Buffer.concat([framed('wtxidrelay'), framed('sendaddrv2'), framed('verack')]));
    return peer;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Waits for the first bytes of the node. @returns false when it hung up instead */
  async hears(): Promise<boolean> {
    while (!this.#heard && !this.#closed) await this.#change();
    if (!this.#heard) this.counts.refused++;
    return this.#heard;
  }

  /** Writes, as fast as the node reads. */
  async write(bytes: Uint8Array, messages = 1): Promise<void> {
    if (this.#closed) return;
    this.counts.messages += messages;
    this.counts.bytes += bytes.length;
    this.#socket.write(bytes);
    // A loop that only writes would never notice that the connection has ended.
    if (++this.#written % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
    while (this.#socket.writableLength > FULL && !this.#closed) await this.#change();
  }

  send(command: string, payload?: Uint8Array): Promise<void> {
    return this.write(framed(command, payload));
  }

  /** Reads nothing any more. */
  stopReading(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Waits for the node to hang up, or for a while. */
  async lingers(ms: number): Promise<void> {
    const until = Date.now() + ms;
    while (!this.#closed && Date.now() < until) await this.#change(until - Date.now());
  }

  #change(ms = 60_000): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #tell(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const one of wake) one();
  }

  #cut(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let cut = clear.cut(this.#rest); cut !== null; cut = clear.cut(this.#rest)) {
      this.#rest = this.#rest.subarray(cut.used);
      if (cut.message !== null) this.onMessage?.(cut.message.command, cut.message.payload);
    }
  }
}

/** A whole number below `n`. */
export function rand(n: number): number {
  return Math.floor(Math.random() * n);
}

// Sends bytes as HTTP exactly as given, and splits the replies by their framing. For tests with unusual clients.
import { once } from 'node:events';
import net from 'node:net';
import { PATIENCE_MS } from './until.js';

/** A reply, not decoded. */
export interface RawReply {
  /** First line without its line end. */
  readonly statusLine: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** One socket. */
export class RawSocket {
  readonly #socket: net.Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    socket.on('close', end);
    socket.on('error', end);
  }

  static async open(port: number, host = '127.0.0.1'): Promise<RawSocket> {
    const socket = net.connect(port, host);
    await once(socket, 'connect');
    return new RawSocket(socket);
  }

  /** True if the other side has closed. */
  get ended(): boolean {
    return this.#ended;
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Waits for the next reply. Rejects if the socket ends before the reply is complete, or after the timeout. */
  async reply(patienceMs = PATIENCE_MS): Promise<RawReply> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const found = this.#take();
      if (found) return found;
      if (this.#ended) throw new Error(`the socket ended after ${this.#received.length} bytes: ${this.#received.toString().slice(0, 200)}`);
      const left = deadline - Date.now();
      if (left <= 0) throw new Error('no reply in time');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Waits until the other side has closed. */
  async closed(): Promise<void> {
    while (!this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(): RawReply | null {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return null;
    const [statusLine, ...lines] = this.#received.subarray(0, headEnd).toString('latin1').split('\r\n');
    const headers = new Map(
      lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = headers.get('content-length');
    let end = headEnd + 4;
    if (length !== undefined) end += Number(length);
    else if (!/ 204| 304/.test(statusLine!)) {
      // The end of the connection ends the reply.
      if (!this.#ended) return null;
      end = this.#received.length;
    }
    if (this.#received.length < end) return null;
    const body = this.#received.subarray(headEnd + 4, end).toString();
    this.#received = this.#received.subarray(end);
    return { statusLine: statusLine!, headers, body };
  }
}

// The wire between two processes of a fleet, in the hands of the test: passes, delays, holds back as a network that has
// fallen apart does (nothing is lost or refused, nothing comes either), or cuts.
import net from 'node:net';
import { freePort } from '../framework/ports.js';

export class Wire {
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  #held = false;
  #cut = false;
  /** Milliseconds that each piece of bytes takes, in both directions. */
  delayMs = 0;
  /** Bytes that went from the target to those that connected here. */
  bytesDown = 0;
  /** Bytes to the target. */
  bytesUp = 0;

  private constructor(
    readonly port: number,
    private readonly target: number,
  ) {
    this.#server = net.createServer((near) => this.#join(near));
  }

  /** @param target port on this machine */
  static async to(target: number): Promise<Wire> {
    const wire = new Wire(await freePort(), target);
    await new Promise<void>((resolve, reject) => {
      wire.#server.once('error', reject);
      wire.#server.listen(wire.port, '127.0.0.1', resolve);
    });
    return wire;
  }

  /** Nothing comes through until `heal`; what is sent meanwhile comes then. */
  hold(): void {
    this.#held = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Connections end and none is admitted until `heal`. */
  cut(): void {
    this.#cut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  heal(): void {
    this.#held = false;
    this.#cut = false;
    this.delayMs = 0;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near: net.Socket): void {
    if (this.#cut) {
      near.destroy();
      return;
    }
    const far = net.connect(this.target, '127.0.0.1');
    this.#pass(near, far, (bytes) => {
      this.bytesUp += bytes;
    });
    this.#pass(far, near, (bytes) => {
      this.bytesDown += bytes;
    });
  }

  #pass(from: net.Socket, to: net.Socket, count: (bytes: number) => void): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    if (this.#held) from.pause();
    // Pieces keep their order: none goes before those that came before it.
    let free = 0;
    from.on('data', (bytes) => {
      count(bytes.length);
      const now = performance.now();
      free = Math.max(free, now + this.delayMs);
      if (free <= now) this.#write(from, to, bytes);
      else setTimeout(() => this.#write(from, to, bytes), free - now);
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  #write(from: net.Socket, to: net.Socket, bytes: Buffer): void {
    if (to.destroyed || to.write(bytes)) return;
    from.pause();
    to.once('drain', () => {
      if (!this.#held) from.resume();
    });
  }
}

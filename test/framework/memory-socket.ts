// Pairs of sockets in memory. One end reads what the other end writes, and both ends close together.
import { Duplex } from 'node:stream';

/** One end of a connection in memory. */
export class MemorySocket extends Duplex {
  other!: MemorySocket;
  readonly localAddress = '10.0.0.1';
  readonly localPort = 18444;

  constructor() {
    super({ allowHalfOpen: false });
    this.on('error', () => {});
  }
  setNoDelay(): this {
    return this;
  }
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (!this.other.destroyed) this.other.push(Buffer.from(chunk));
    done();
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    setImmediate(() => this.other.destroy());
    done(error);
  }
}

/** Returns two connected ends. */
export function socketPair(): readonly [MemorySocket, MemorySocket] {
  const pair = [new MemorySocket(), new MemorySocket()] as const;
  pair[0].other = pair[1];
  pair[1].other = pair[0];
  return pair;
}

// Connections in memory whose ends accept bytes only while the other end reads, for tests of slow readers.
import { Duplex } from 'node:stream';

/** One end of a pipe with the members of a socket that servers and clients use. Its buffers hold one write. */
export class PipeEnd extends Duplex {
  other!: PipeEnd;
  bytesWritten = 0;
  readonly remotePort = 1;
  readonly localAddress = '198.51.100.1';
  #taken: (() => void) | null = null;

  constructor(readonly remoteAddress: string) {
    super({ highWaterMark: 1 });
    this.on('error', () => {});
  }

  override write(chunk: Uint8Array, ...rest: unknown[]): boolean {
    this.bytesWritten += chunk.length;
    return super.write(chunk, ...(rest as []));
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.other.push(chunk)) done();
    else this.other.#taken = done;
  }

  override _read(): void {
    const taken = this.#taken;
    this.#taken = null;
    taken?.();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    process.nextTick(() => this.other.destroy());
    done(error);
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }
}

/** Returns two connected ends. @param address address of the client, as the server sees it */
export function pipe(address: string): readonly [theirs: PipeEnd, ours: PipeEnd] {
  const [theirs, ours] = [new PipeEnd('198.51.100.1'), new PipeEnd(address)];
  theirs.other = ours;
  ours.other = theirs;
  return [theirs, ours];
}

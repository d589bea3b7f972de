// Controls the processes of the load generator, and bare servers that send prepared bytes, which are the limit for
// fronts.
import { type ChildProcess, fork } from 'node:child_process';

/** Orders for a load process. */
export type LoadOrder =
  | {
      readonly kind: 'loop';
      readonly port: number;
      /** A list of requests is sent in a cycle. */
      readonly request: string | readonly string[];
      readonly connections: number;
      readonly seconds: number;
    }
  | { readonly kind: 'park'; readonly port: number; readonly request: string; readonly connections: number }
  | { readonly kind: 'poll'; readonly port: number; readonly request: string; readonly connections: number; readonly pauseMs: number }
  | { readonly kind: 'enough' }
  | { readonly kind: 'end' };

/** Reports of a load process. */
export type LoadReport =
  | { readonly kind: 'up' }
  | { readonly kind: 'loop'; readonly calls: number; readonly seconds: number; readonly bytes: number; readonly times: readonly number[] }
  | { readonly kind: 'parked' }
  | { readonly kind: 'woken'; readonly atMs: readonly number[]; readonly bytes: number }
  /** Duration of each poll in milliseconds, and the time of its reply in milliseconds since 1970. */
  | { readonly kind: 'polled'; readonly times: readonly number[]; readonly ends: readonly number[] }
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'flooded'; readonly bytes: number; readonly seconds: number; readonly ends: number }
  | { readonly kind: 'failed'; readonly message: string };

/** A child process that answers orders with reports. */
export class Child {
  readonly #process: ChildProcess;
  readonly #reports: LoadReport[] = [];
  #wake: (() => void) | null = null;
  #ended = '';

  constructor(file: string, args: readonly string[] = []) {
    this.#process = fork(new URL(file, import.meta.url), args, { serialization: 'advanced' });
    this.#process.on('message', (report: LoadReport) => {
      this.#reports.push(report);
      this.#wake?.();
    });
    this.#process.on('exit', (code, signal) => {
      this.#ended = `${file} has ended (${code ?? signal})`;
      this.#wake?.();
    });
  }

  send(order: unknown): void {
    this.#process.send(order as object);
  }

  /** Returns the next report, which must be of this kind. */
  async next<Kind extends LoadReport['kind']>(kind: Kind): Promise<LoadReport & { kind: Kind }> {
    while (this.#reports.length === 0) {
      if (this.#ended) throw new Error(this.#ended);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const report = this.#reports.shift()!;
    if (report.kind !== kind) throw new Error(report.kind === 'failed' ? report.message : `unexpected report: ${report.kind}`);
    return report as LoadReport & { kind: Kind };
  }

  end(): void {
    this.#process.kill();
  }
}

/** Starts a load process that is ready for orders. */
export async function startLoad(): Promise<Child> {
  const child = new Child('./load-child.js');
  await child.next('up');
  return child;
}

/** Runs calls in a closed loop. */
export async function runLoop(child: Child, order: Omit<LoadOrder & { kind: 'loop' }, 'kind'>): Promise<LoadReport & { kind: 'loop' }> {
  child.send({ kind: 'loop', ...order });
  return child.next('loop');
}

/** Sends calls with a pause after each reply until stop() is called. stop() returns the milliseconds of each call. */
export function startPolling(
  child: Child,
  order: Omit<LoadOrder & { kind: 'poll' }, 'kind'>,
): { stop(): Promise<readonly number[]>; stopTimed(): Promise<LoadReport & { kind: 'polled' }> } {
  child.send({ kind: 'poll', ...order });
  const stopTimed = () => {
    child.send({ kind: 'enough' });
    return child.next('polled');
  };
  return { stop: async () => (await stopTimed()).times, stopTimed };
}

/** Starts a bare uWebSockets.js server that answers every request with this body. */
export async function startBare(body: Buffer): Promise<{ readonly port: number; end(): void }> {
  const child = new Child('./bare-child.js');
  child.send(body);
  const { port } = await child.next('listening');
  return { port, end: () => child.end() };
}

/** Starts a bare server whose replies wait for go(). */
export async function startParkingBare(body: Buffer): Promise<{ readonly port: number; go(): void; end(): void }> {
  const child = new Child('./bare-child.js', ['--park']);
  child.send(body);
  const { port } = await child.next('listening');
  return { port, go: () => child.send('go'), end: () => child.end() };
}

/** Returns a POST request with credentials as text. */
export function postRequest(auth: string, body: string): string {
  const credentials = Buffer.from(auth).toString('base64');
  return `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic ${credentials}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

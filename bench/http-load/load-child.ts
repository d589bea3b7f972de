// Load generator in a process of its own: plain sockets, with only as much work per reply as counting needs. Takes its
// orders from load.ts over the process's message channel.
import net from 'node:net';
import type { LoadOrder, LoadReport } from './load.js';

/** One connection with one request on its way at a time. */
class Line {
  readonly socket: net.Socket;
  /** Bytes of the reply under way that are still to come; -1 while its head is awaited. */
  #missing = -1;
  #head: Buffer | null = null;
  #sentAt = 0;
  onReply: (ms: number, bytes: number) => void = () => {};
  #bytes = 0;

  constructor(port: number) {
    this.socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.socket.on('error', (error) => fail(error));
  }

  send(request: Buffer): void {
    this.#sentAt = performance.now();
    this.socket.write(request);
  }

  #take(chunk: Buffer): void {
    if (this.#missing < 0) {
      const data = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
      const end = data.indexOf('\r\n\r\n');
      if (end < 0) {
        this.#head = data;
        return;
      }
      if (data[9] !== 0x32) fail(new Error(`refused: ${data.toString('latin1', 0, 600)}`));
      this.#head = null;
      const head = data.toString('latin1', 0, end).toLowerCase();
      const at = head.lastIndexOf('content-length:');
      this.#bytes = Number.parseInt(head.slice(at + 15), 10);
      this.#missing = this.#bytes - (data.length - end - 4);
    } else this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    if (this.#missing < 0) fail(new Error('more than one reply'));
    this.#missing = -1;
    this.onReply(performance.now() - this.#sentAt, this.#bytes);
  }
}

function fail(error: Error): never {
  process.send?.({ kind: 'failed', message: error.message });
  process.exit(1);
}

const report = (message: LoadReport) => process.send!(message);
let lines: Line[] = [];

/** As many calls as fit into the time, each connection one at a time. */
function closedLoop(order: LoadOrder & { kind: 'loop' }): void {
  const requests = [order.request].flat().map((request) => Buffer.from(request));
  const next = (): Buffer => requests[sent++ % requests.length]!;
  const times: number[] = [];
  let sent = 0;
  let bytes = 0;
  let running = order.connections;
  const begun = performance.now();
  const until = begun + order.seconds * 1000;
  lines = Array.from({ length: order.connections }, () => new Line(order.port));
  for (const line of lines) {
    line.onReply = (ms, size) => {
      times.push(ms);
      bytes += size;
      if (performance.now() < until) {
        line.send(next());
        return;
      }
      line.socket.destroy();
      if (--running === 0)
        report({ kind: 'loop', calls: times.length, seconds: (performance.now() - begun) / 1000, bytes, times: thin(times) });
    };
    line.send(next());
  }
}

/** At most 20,000 of the times, evenly taken. */
function thin(times: number[]): number[] {
  const step = Math.ceil(times.length / 20_000);
  return step <= 1 ? times : times.filter((_, i) => i % step === 0);
}

/** Connections that all wait for one event; the report has the machine's time at which each had its last byte. */
function park(order: LoadOrder & { kind: 'park' }): void {
  const request = Buffer.from(order.request);
  lines = Array.from({ length: order.connections }, () => new Line(order.port));
  const atMs: number[] = [];
  let bytes = 0;
  for (const line of lines) {
    line.onReply = (_, size) => {
      atMs.push(performance.timeOrigin + performance.now());
      bytes += size;
      line.socket.destroy();
      if (atMs.length === order.connections) report({ kind: 'woken', atMs, bytes });
    };
    line.send(request);
  }
  report({ kind: 'parked' });
}

let enough = false;

/** Connections that ask, rest, and ask again, each by its own clock, until there is enough. */
function poll(order: LoadOrder & { kind: 'poll' }): void {
  const request = Buffer.from(order.request);
  const times: number[] = [];
  let running = order.connections;
  enough = false;
  lines = Array.from({ length: order.connections }, () => new Line(order.port));
  for (const [i, line] of lines.entries()) {
    line.onReply = (ms) => {
      times.push(ms);
      if (enough) {
        line.socket.destroy();
        if (--running === 0) report({ kind: 'polled', times });
      } else setTimeout(() => line.send(request), order.pauseMs);
    };
    setTimeout(() => line.send(request), (order.pauseMs * i) / order.connections);
  }
}

// A parent that failed does not say so.
process.on('disconnect', () => process.exit(0));
process.on('message', (order: LoadOrder) => {
  if (order.kind === 'loop') closedLoop(order);
  else if (order.kind === 'park') park(order);
  else if (order.kind === 'poll') poll(order);
  else if (order.kind === 'enough') enough = true;
  else {
    for (const line of lines) line.socket.destroy();
    process.exit(0);
  }
});
report({ kind: 'up' });

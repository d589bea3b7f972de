// Load generator in a process of its own. It uses plain sockets and does only as much work per reply as counting needs.
// load.ts sends it orders over the message channel of the process.
import net from 'node:net';
import type { LoadOrder, LoadReport } from './load.js';

/** A connection with one request in progress at a time. */
class Line {
  readonly socket: net.Socket;
  /** Number of bytes of the current reply that have not arrived; -1 while the head is incomplete. */
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

/** Sends as many calls as possible for some seconds, one at a time on each connection. */
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

/** Returns at most 20,000 of the times, at even distances. */
function thin(times: number[]): number[] {
  const step = Math.ceil(times.length / 20_000);
  return step <= 1 ? times : times.filter((_, i) => i % step === 0);
}

/**
 * Opens connections that all wait for one event. The report has the time (of the machine's clock) of the last byte on
 * each connection.
 */
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

/** Opens connections that send a call, pause, and send the next one, each with its own timer, until the order to stop. */
function poll(order: LoadOrder & { kind: 'poll' }): void {
  const request = Buffer.from(order.request);
  const times: number[] = [];
  const ends: number[] = [];
  let running = order.connections;
  enough = false;
  lines = Array.from({ length: order.connections }, () => new Line(order.port));
  for (const [i, line] of lines.entries()) {
    line.onReply = (ms) => {
      times.push(ms);
      ends.push(Date.now());
      if (enough) {
        line.socket.destroy();
        if (--running === 0) report({ kind: 'polled', times, ends });
      } else setTimeout(() => line.send(request), order.pauseMs);
    };
    setTimeout(() => line.send(request), (order.pauseMs * i) / order.connections);
  }
}

// If the parent failed, it sends no order to end.
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

// Many Stratum V1 miners, or as many plain sockets, in a process of their own. Reports when the first clean job (plain
// sockets: the first byte) after a given moment reached each of them, and sends shares at an even rate.
import net from 'node:net';
import { mineShare } from '../../test/framework/stratum-miner.js';

export type StratumOrder =
  | { readonly kind: 'connect'; readonly port: number; readonly count: number; readonly names: readonly string[] }
  | { readonly kind: 'arm' }
  | { readonly kind: 'shares'; readonly perSecond: number; readonly seconds: number };

/** Number of connections that are opened at the same time. */
const AT_ONCE = 50;
const STEP_MS = 10;
/** End of mining.notify with clean_jobs true. ckpool writes further members after it. */
const CLEAN = Buffer.from('true]');
/** Number of different shares of a miner. */
const SHARES = 5;
/** Bytes of the socket that is being read. All sockets share it, because Node.js reads one at a time. */
const buffer = Buffer.alloc(65_536);
const miners: Miner[] = [];
const times: number[] = [];
let wanted = 0;

class Miner {
  readonly socket: net.Socket;
  /** Text of the handshake; null after the first job. */
  text: string | null = '';
  first: (() => void) | null = null;
  #armed = false;
  #handshake = '';
  #name = '';
  #shares: string[] = [];
  #sent = 0;
  /** Times at which shares were sent that have no reply yet. */
  readonly #sentMs: number[] = [];

  constructor(port: number, name: string | undefined, number: number) {
    const onread = { buffer, callback: (length: number): boolean => this.#onRead(length) };
    this.socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.socket.on('error', fail).on('close', () => fail(new Error('a connection was closed')));
    this.socket.on('connect', () => {
      if (name === undefined) this.first?.();
      else this.write(subscription(this.#name));
    });
    if (name === undefined) this.text = null;
    else this.#name = `${name}.rig${number}`;
  }

  arm(): void {
    this.#armed = true;
  }

  write(text: string): void {
    this.socket.write(text, 'latin1');
  }

  submit(nowMs: number): void {
    this.#sentMs.push(nowMs);
    this.write(this.#shares[this.#sent++ % SHARES]!);
  }

  /** Finds shares of the first job that are not blocks. On regtest every second hash is a block. */
  prepareShares(): void {
    const lines = this.#handshake.trimEnd().split('\n');
    const messages = lines.map((line) => JSON.parse(line));
    const extranonce1 = messages.find((one) => one.id === 1).result[1] as string;
    const job = messages.find((one) => one.method === 'mining.notify').params as unknown[];
    for (let i = 0; i < SHARES; i++) {
      const extranonce2 = i.toString(16).padStart(16, '0');
      const { ntime, nonce } = mineShare(job, extranonce1, (_difficulty, hash) => (hash[31] as number) >= 0x80, { extranonce2 });
      const params = JSON.stringify([this.#name, job[0], extranonce2, ntime, nonce]);
      this.#shares.push(`{"id":${10 + i},"method":"mining.submit","params":${params}}\n`);
    }
  }

  #onRead(length: number): boolean {
    if (this.text !== null) this.#readHandshake(buffer.toString('latin1', 0, length));
    else if (this.#armed && (plain || buffer.subarray(0, length).includes(CLEAN))) {
      this.#armed = false;
      times.push(now());
      if (times.length === wanted) process.send!({ kind: 'woken', atMs: times, bytes: 0 });
    } else if (this.#sentMs.length > 0) this.#countReplies(length);
    return true;
  }

  #readHandshake(text: string): void {
    this.text += text;
    if (!this.text!.includes('mining.notify","params') && !/"method": ?"mining.notify"/.test(this.text!)) return;
    if (!this.text!.endsWith('\n')) return;
    this.#handshake = this.text!;
    this.text = null;
    this.first?.();
  }

  /** Counts the lines as replies. A job among them is counted too, which changes no figure by a thousandth. */
  #countReplies(length: number): void {
    const nowMs = now();
    for (let at = buffer.indexOf(10); at >= 0 && at < length && this.#sentMs.length > 0; at = buffer.indexOf(10, at + 1)) {
      times.push(nowMs - this.#sentMs.shift()!);
    }
  }
}

let plain = false;

const now = (): number => performance.timeOrigin + performance.now();

const subscription = (name: string): string =>
  `{"id":1,"method":"mining.subscribe","params":["cgminer/4.11"]}\n{"id":2,"method":"mining.authorize","params":["${name}","x"]}\n`;

function fail(error: Error): void {
  process.send!({ kind: 'failed', message: error.message });
}

async function connect({ port, count, names }: Extract<StratumOrder, { kind: 'connect' }>): Promise<void> {
  plain = names.length === 0;
  while (miners.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - miners.length) }, (_, i) => {
      const number = miners.length + i;
      return new Miner(port, names[number % names.length], number);
    });
    await Promise.all(
      some.map(
        (one) =>
          new Promise<void>((resolve) => {
            one.first = resolve;
          }),
      ),
    );
    miners.push(...some);
  }
  process.send!({ kind: 'parked' });
}

/** Sends shares from all miners, one after the other, `perSecond` altogether. Reports the milliseconds until each reply. */
async function shares({ perSecond, seconds }: Extract<StratumOrder, { kind: 'shares' }>): Promise<void> {
  times.length = 0;
  for (const miner of miners) miner.prepareShares();
  const begun = now();
  const all = perSecond * seconds;
  for (let sent = 0; sent < all; ) {
    const nowMs = now();
    const due = Math.min(all, Math.floor(((nowMs - begun) * perSecond) / 1000));
    for (; sent < due; sent++) miners[sent % miners.length]!.submit(nowMs);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  while (times.length < all * 0.999) await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  process.send!({ kind: 'loop', calls: times.length, seconds: (now() - begun) / 1000, bytes: 0, times });
}

process.on('message', (order: StratumOrder) => {
  if (order.kind === 'connect') void connect(order).catch(fail);
  else if (order.kind === 'shares') void shares(order).catch(fail);
  else {
    times.length = 0;
    wanted = miners.length;
    for (const miner of miners) miner.arm();
    process.send!({ kind: 'parked' });
  }
});
process.send!({ kind: 'up' });

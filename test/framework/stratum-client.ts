// A Stratum V1 miner with a socket, for tests: jobs, and blocks on regtest's easy target.
import net from 'node:net';
import tls from 'node:tls';
import { shown } from './messages.js';
import { mineShare, type ServerLine } from './stratum-miner.js';
import { PATIENCE_MS } from './until.js';

/** Fields of mining.notify. */
export interface Notify {
  readonly id: string;
  readonly prevHash: string;
  readonly coinb1: string;
  readonly coinb2: string;
  readonly branch: readonly string[];
  readonly version: string;
  readonly bits: string;
  readonly time: string;
  readonly clean: boolean;
  /** All parameters. */
  readonly params: readonly unknown[];
}

/** How a miner formats the fields of a share. */
export interface ShareForm {
  /** Returns the eight bytes of extranonce2 for a share, by the share's number. */
  readonly extranonce2?: (count: number) => string;
  /** Version bits that the miner changes; null: it sends no sixth parameter. */
  readonly versionBits?: number | null;
  /** Returns the text of the nonce. */
  readonly nonce?: (nonce: number) => string;
  /** Seconds that the miner adds to the job's time. */
  readonly rollSeconds?: number;
}

/** A share that is also a block. */
export interface MinedShare {
  readonly params: readonly string[];
  readonly hashHex: string;
  readonly coinbase: Buffer;
  readonly header: Buffer;
}

export type { ServerLine };

const hex8 = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');

/** Returns the display hex of the hash in the field prevhash of mining.notify. */
export const shownPrevHash = (field: string): string => (field.match(/.{8}/g) as string[]).reverse().join('');

export class StratumClient {
  readonly socket: net.Socket;
  /** All lines received so far. */
  readonly lines: ServerLine[] = [];
  job: Notify | null = null;
  difficulty: number | null = null;
  extranonce1 = '';
  closed = false;
  #text = '';
  #read = 0;
  #shares = 0;
  #wake: () => void = () => {};

  private constructor(socket: net.Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#readText(text));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  /** @param ca certificate to trust; with it the connection uses TLS */
  static async connect(port: number, ca?: string): Promise<StratumClient> {
    const at = { port, host: '127.0.0.1' };
    const socket = ca === undefined ? net.connect(at) : tls.connect({ ...at, ca, servername: 'localhost' });
    await new Promise<void>((resolve, reject) => {
      socket.once(ca === undefined ? 'connect' : 'secureConnect', resolve);
      socket.once('error', reject);
    });
    return new StratumClient(socket);
  }

  /** Returns a client that uses one end of a pipe. */
  static over(socket: net.Socket): StratumClient {
    return new StratumClient(socket);
  }

  /**
   * Connects a miner that subscribes and authorizes in the usual order, and waits for its first job. Retries while the
   * server has no work.
   */
  static async start(port: number, name: string, agent = 'cgminer/4.11'): Promise<StratumClient> {
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      const client = await StratumClient.connect(port);
      try {
        await client.begin(name, agent);
        return client;
      } catch (error) {
        if (client.lines.length > 0 || Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async begin(name: string, agent = 'cgminer/4.11'): Promise<void> {
    this.send({ id: 1, method: 'mining.subscribe', params: [agent] });
    this.subscribed(await this.reply(1));
    this.send({ id: 2, method: 'mining.authorize', params: [name, 'x'] });
    const { error } = await this.reply(2);
    if (error !== null) throw new Error(`mining.authorize: ${JSON.stringify(error)}`);
    await this.until(() => this.job !== null);
  }

  /** Stores extranonce1 from the reply to mining.subscribe. */
  subscribed({ result }: ServerLine): void {
    const [pairs, extranonce1, size] = result as [string[][], string, number];
    if (typeof pairs[0]?.[1] !== 'string' || size !== 8 || !/^[0-9a-f]{8}$/.test(extranonce1)) {
      throw new Error(`mining.subscribe: ${JSON.stringify(result)}`);
    }
    this.extranonce1 = extranonce1;
  }

  send(message: unknown): void {
    this.socket.write(`${JSON.stringify(message)}\n`);
  }

  /** Waits for the next line that was not returned yet. */
  async next(): Promise<ServerLine> {
    await this.until(() => this.lines.length > this.#read);
    return this.lines[this.#read++] as ServerLine;
  }

  /** Waits for the reply to a request, whichever lines come before it. */
  async reply(id: unknown): Promise<ServerLine> {
    const find = (): number => this.lines.findIndex((line, i) => i >= this.#read && line.method === undefined && line.id === id);
    await this.until(() => find() >= 0);
    const at = find();
    this.#read = at + 1;
    return this.lines[at] as ServerLine;
  }

  /** Finds a block for the newest job. */
  mine({
    extranonce2 = (n) => n.toString(16).padStart(16, '0'),
    versionBits = null,
    nonce = hex8,
    rollSeconds = 0,
  }: ShareForm = {}): MinedShare {
    const job = this.job as Notify;
    const target = targetOf(Number.parseInt(job.bits, 16));
    const rolled = versionBits === null ? {} : { versionBits: hex8(versionBits) };
    const varied = { extranonce2: extranonce2(++this.#shares), ntime: hex8(Number.parseInt(job.time, 16) + rollSeconds), ...rolled };
    const share = mineShare(job.params, this.extranonce1, (_difficulty, hash) => BigInt(`0x${shown(hash)}`) <= target, varied);
    const params = [job.id, share.extranonce2, share.ntime, nonce(Number.parseInt(share.nonce, 16)), ...Object.values(rolled)];
    const { hash, coinbase, header } = share.built;
    return { params, hashHex: shown(hash), coinbase, header };
  }

  /** Submits a share. @returns its reply */
  async submit(name: string, { params }: Pick<MinedShare, 'params'>, id: unknown = 100 + this.#shares): Promise<ServerLine> {
    this.send({ id, method: 'mining.submit', params: [name, ...params] });
    return this.reply(id);
  }

  /** Waits for a job on top of this block. */
  async onTip(hashHex: string): Promise<void> {
    await this.until(() => this.job !== null && shownPrevHash(this.job.prevHash) === hashHex);
  }

  /** @throws Error if the connection ends before */
  async until(check: () => boolean): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!check()) {
      if (this.closed) throw new Error(`the connection was closed after ${JSON.stringify(this.lines.at(-1))}`);
      if (Date.now() > end) throw new Error('nothing came');
      await this.#wait();
    }
  }

  async ended(): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!this.closed) {
      if (Date.now() > end) throw new Error('the connection is still open');
      await this.#wait();
    }
  }

  close(): void {
    this.socket.destroy();
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 1_000);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #readText(text: string): void {
    this.#text += text;
    for (;;) {
      const end = this.#text.indexOf('\n');
      if (end < 0) break;
      const line = JSON.parse(this.#text.slice(0, end)) as ServerLine;
      this.#text = this.#text.slice(end + 1);
      this.lines.push(line);
      if (line.method === 'mining.set_difficulty') this.difficulty = line.params?.[0] as number;
      if (line.method === 'mining.notify') this.job = readNotify(line.params as unknown[]);
    }
    this.#wake();
  }
}

/** As strict as ESP-Miner, which restarts if a field has a wrong type. */
function readNotify(params: readonly unknown[]): Notify {
  const [id, prevHash, coinb1, coinb2, branch, version, bits, time, clean] = params;
  const texts = [id, prevHash, coinb1, coinb2, version, bits, time, ...(branch as unknown[])];
  if (params.length !== 9 || texts.some((text) => typeof text !== 'string') || typeof clean !== 'boolean') throw new Error('mining.notify');
  if ([version, bits, time].some((text) => !/^[0-9a-f]{8}$/.test(text as string))) throw new Error('mining.notify');
  return { id, prevHash, coinb1, coinb2, branch, version, bits, time, clean, params } as Notify;
}

function targetOf(bits: number): bigint {
  const exponent = bits >>> 24;
  return BigInt(bits & 0xffffff) << BigInt(8 * (exponent - 3));
}

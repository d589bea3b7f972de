// A node in a comparison: this build of adit, another build, or Core. The bench sends it calls over HTTP and messages
// as a peer.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BuiltBlock } from '../../test/framework/chain-builder.js';
import { Daemon, daemonFile } from '../../test/framework/daemon.js';
import { P2pClient } from '../../test/framework/p2p-client.js';
import { freePort } from '../../test/framework/ports.js';
import { bitcoindToCompare, CoreDaemon } from './core-daemon.js';

const LOOK_MS = 100;
/** A warm-up starts and ends within this time on any machine. */
const REHEARSED_MS = 120_000;

/** Body of a reply, and the time of its last byte. */
export interface TimedReply {
  readonly text: string;
  readonly at: number;
}

/** A node that can be started, on a fresh folder each time. */
export interface Contestant {
  readonly name: string;
  /** True if the process has a node thread; it is its first thread (process-figures.ts). */
  readonly single: boolean;
  /** @param options options that both adit and Core have */
  start(...options: string[]): Promise<Contender>;
}

/**
 * Returns the nodes to compare: adit and, where they are given, the build at BEFORE=/path/aditd.cjs and Core at
 * COMPARE=/path/bitcoind.
 * @param options options for adit only
 */
export function contestants(...options: string[]): Contestant[] {
  const adit = (name: string, file: string): Contestant => ({
    name,
    single: true,
    start: (...more) => Contender.adit(name, file, [...options, ...more]),
  });
  const before = process.env.BEFORE;
  const core = bitcoindToCompare();
  return [
    adit('adit', daemonFile),
    ...(before === undefined ? [] : [adit('adit before', before)]),
    ...(core === null ? [] : [{ name: 'Core', single: false, start: (...more: string[]) => Contender.core(core, more) }]),
  ];
}

export class Contender {
  #peer: P2pClient | undefined;
  // Close idle connections after 5 s, before the servers do (after 8 s or more).
  readonly #agent = new http.Agent({ keepAlive: true, timeout: 5_000 });

  private constructor(
    readonly name: string,
    /** True if the process has a node thread; it is its first thread (process-figures.ts). */
    readonly single: boolean,
    private readonly node: Daemon | CoreDaemon,
    private readonly p2pPort: number,
    private readonly log?: () => string,
  ) {}

  get pid(): number {
    return (this.node instanceof Daemon ? this.node.child?.pid : this.node.pid) as number;
  }

  /** Port of JSON-RPC. */
  get port(): number {
    return this.node.port;
  }

  /** user:password. */
  get auth(): string {
    return this.node.auth;
  }

  /** Stops the process. `up` starts it again on the same folder. */
  async stop(): Promise<void> {
    await this.node.stop();
  }

  /** @param more options in addition to the earlier ones */
  up(...more: string[]): Promise<void> {
    return this.node.up(...more);
  }

  /** Waits for the end of a process that stops by itself. */
  async ended(): Promise<void> {
    await this.node.ended();
  }

  /** Starts all of contestants(). @param options of adit */
  static async all(...options: string[]): Promise<Contender[]> {
    const started: Contender[] = [];
    for (const one of contestants(...options)) started.push(await one.start());
    return started;
  }

  static async adit(name: string, file: string, options: readonly string[]): Promise<Contender> {
    const p2pPort = await freePort();
    const own = [`-port=${p2pPort}`, '-bind=127.0.0.1', '-connect=0', '-whitelist=noban,relay@127.0.0.1', '-fronts=1', '-rehearse=0'];
    const node = await Daemon.startFrom(file, ...own, ...options);
    const log = (): string => fs.readFileSync(path.join(node.dir, 'regtest', 'debug.log'), 'utf8');
    return new Contender(name, true, node, p2pPort, log);
  }

  static async core(binary: string, options: readonly string[]): Promise<Contender> {
    const p2pPort = await freePort();
    const own = [`-port=${p2pPort}`, `-bind=127.0.0.1:${p2pPort}`, '-connect=0', '-whitelist=noban,relay@127.0.0.1'];
    // In Core, each parked long poll occupies an RPC thread.
    const polls = Number(process.env.POLLS ?? 0);
    if (polls > 0) own.push(`-rpcthreads=${polls + 16}`, `-rpcworkqueue=${polls + 16}`);
    const node = await CoreDaemon.start(binary, ...own, ...options);
    return new Contender('Core', false, node, p2pPort);
  }

  post(body: string): Promise<TimedReply> {
    return new Promise((resolve, reject) => {
      const request = http.request(
        {
          host: '127.0.0.1',
          port: this.port,
          method: 'POST',
          agent: this.#agent,
          headers: {
            'content-type': 'text/plain',
            'content-length': Buffer.byteLength(body),
            authorization: `Basic ${Buffer.from(this.auth).toString('base64')}`,
          },
        },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', reject);
          reply.on('end', () => {
            const at = performance.now();
            resolve({ text: Buffer.concat(chunks).toString('latin1'), at });
          });
        },
      );
      request.on('error', (error: NodeJS.ErrnoException) => {
        // Signing has occupied this process for so long that the server closed the idle connection before the request
        // arrived. Send the request again.
        if (request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) resolve(this.post(body));
        else reject(error);
      });
      request.end(body);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  async call(method: string, ...params: unknown[]): Promise<any> {
    const { result, error } = JSON.parse((await this.post(JSON.stringify({ id: 1, method, params }))).text);
    if (error) throw new Error(`${this.name}: ${method}: ${error.message}`);
    return result;
  }

  /** Returns the node's only peer, which wants no transactions. Drops all messages that it has received so far. */
  async peer(): Promise<P2pClient> {
    this.#peer ??= await P2pClient.connect(this.p2pPort, { relay: false });
    if (this.#peer.closed) throw new Error(`${this.name} hung up`);
    this.#peer.received.length = 0;
    return this.#peer;
  }

  async submit(block: BuiltBlock): Promise<void> {
    const verdict = await this.call('submitblock', block.bytes.toString('hex'));
    if (verdict !== null) throw new Error(`${this.name} refused a block: ${verdict}`);
  }

  /** Acts as a miner and waits for the end of the warm-up. Returns at once for Core. Needs -rehearse. */
  async rehearse(): Promise<void> {
    if (this.log !== undefined) await untilRehearsed(this, this.log);
  }

  /** Submits transactions with sendrawtransaction in batches. Throws if one is refused. @param raw hex */
  async give(raw: readonly string[], batch: number): Promise<void> {
    for (let at = 0; at < raw.length; at += batch) {
      const calls = raw.slice(at, at + batch).map((hex, id) => `{"id":${id},"method":"sendrawtransaction","params":["${hex}"]}`);
      const { text } = await this.post(`[${calls.join(',')}]`);
      const refused = JSON.parse(text).find((one: { error: unknown }) => one.error !== null);
      if (refused) throw new Error(`${this.name} refused a payment: ${JSON.stringify(refused)}`);
    }
  }

  async close(): Promise<void> {
    this.#peer?.close();
    this.#agent.destroy();
    if (this.node instanceof CoreDaemon) return this.node.end();
    // Stop the node instead of killing it, because a profile is written at its end.
    await this.node.stop();
    await this.node.remove();
  }
}

/**
 * Acts as a miner and waits until adit has warmed up once more. Needs -rehearse.
 * @param log content of the node's debug.log
 */
export async function untilRehearsed(
  node: { call(method: string, ...params: unknown[]): Promise<unknown> },
  log: () => string,
): Promise<void> {
  const times = (): number => log().split('Block warm-up finished').length;
  const before = times();
  await node.call('getblocktemplate', { rules: ['segwit'] });
  for (let looks = 0; times() === before; looks++) {
    if (looks * LOOK_MS > REHEARSED_MS) throw new Error('the warm-up did not finish');
    await sleep(LOOK_MS);
  }
}

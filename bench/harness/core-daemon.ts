// Runs a bitcoind for comparisons within one run: COMPARE=/path/to/bitcoind. It uses regtest without the self-checks
// that regtest switches on, in a temporary folder. Replies are read with node:http, as those of adit are.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/framework/ports.js';

/** Longest time in milliseconds for a start or a stop. */
const PATIENCE_MS = 60_000;
/** Error code while bitcoind starts ("Loading block index" and others). */
const IN_WARMUP = -28;

/**
 * Returns the path of the bitcoind to compare with. Returns null, and prints the reason to stderr, if COMPARE is not
 * set or the file does not exist.
 */
export function bitcoindToCompare(): string | null {
  const file = process.env.COMPARE;
  if (file !== undefined && file !== '' && fs.existsSync(file)) return file;
  const why = file === undefined || file === '' ? 'COMPARE=/path/to/bitcoind is not given' : `${file} is not there`;
  console.error(`no comparison with Bitcoin Core: ${why}`);
  return null;
}

/** An error reply of bitcoind. */
export class CoreError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export class CoreDaemon {
  /** Data folder. The files of regtest are in its folder regtest. */
  readonly dir: string;
  readonly port: number;
  readonly #file: string;
  readonly #options: readonly string[];
  #child!: ChildProcess;
  #agent!: http.Agent;
  #auth = '';
  #exit: string | null = null;

  private constructor(dir: string, port: number, file: string, options: readonly string[]) {
    this.dir = dir;
    this.port = port;
    this.#file = file;
    this.#options = options;
  }

  /**
   * Starts bitcoind on a new folder, and waits until it answers.
   * @param options in addition to those for regtest; later ones override earlier ones
   */
  static async start(file: string, ...options: string[]): Promise<CoreDaemon> {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-core-'));
    const port = await freePort();
    const fixed = ['-regtest', `-datadir=${dir}`, `-rpcport=${port}`, '-server=1', '-printtoconsole=0'];
    const quiet = ['-checkblockindex=0', '-checkmempool=0', '-dnsseed=0'];
    // bitcoind listens for peers only if the options are about peers.
    const alone = options.some((option) => /^-(listen|port|bind|connect|addnode)=/.test(option)) ? [] : ['-listen=0', '-connect=0'];
    const daemon = new CoreDaemon(dir, port, file, [...fixed, ...quiet, ...alone, ...options]);
    try {
      await daemon.up();
    } catch (error) {
      await daemon.end();
      throw error;
    }
    return daemon;
  }

  /**
   * Starts bitcoind (again) on the same folder.
   * @param more options in addition to the earlier ones; later ones override earlier ones
   */
  async up(...more: string[]): Promise<void> {
    fs.rmSync(path.join(this.dir, 'regtest', '.cookie'), { force: true });
    this.#agent = new http.Agent({ keepAlive: true });
    this.#exit = null;
    this.#child = spawn(this.#file, [...this.#options, ...more], { stdio: 'ignore' });
    this.#child.on('exit', (code, signal) => {
      this.#exit = `${code ?? signal}`;
    });
    this.#child.on('error', (error) => {
      this.#exit = error.message;
    });
    await this.#answers();
  }

  /** Process id, for reading figures from /proc. */
  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** user:password of this run. */
  get auth(): string {
    return this.#auth;
  }

  /** Sends an HTTP request with the credentials, on a connection that stays open. */
  post(body: string): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const authorization = `Basic ${Buffer.from(this.#auth).toString('base64')}`;
      const headers = { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(body), authorization };
      const request = http.request(
        { host: '127.0.0.1', port: this.port, method: 'POST', path: '/', agent: this.#agent, headers },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', reject);
          reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Returns the result of a call. @throws CoreError */
  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  async call(method: string, ...params: unknown[]): Promise<any> {
    const reply = await this.post(JSON.stringify({ id: 1, method, params }));
    if (reply.body === '') throw new CoreError(-1, `HTTP ${reply.status}`);
    const { result, error } = JSON.parse(reply.body);
    if (error) throw new CoreError(error.code, error.message);
    return result;
  }

  /**
   * Copies the best chain and the mempool of another node.
   * @param from node that answers getblockhash, getblock and others
   */
  async copy(from: { call(method: string, ...params: unknown[]): Promise<unknown> }): Promise<void> {
    const height = (await from.call('getblockcount')) as number;
    for (let i = 1; i <= height; i++) {
      const verdict = await this.call('submitblock', await from.call('getblock', await from.call('getblockhash', i), 0));
      if (verdict !== null) throw new Error(`bitcoind refused block ${i}: ${verdict}`);
    }
    const pool = (await from.call('getrawmempool', true)) as Record<string, { ancestorcount: number }>;
    // Submit parents before their children.
    const txids = Object.keys(pool).sort((a, b) => pool[a]!.ancestorcount - pool[b]!.ancestorcount);
    for (const txid of txids) await this.call('sendrawtransaction', await from.call('getrawtransaction', txid), 0);
  }

  /** Stops bitcoind, by a signal if necessary, and removes its folder. */
  async end(): Promise<void> {
    await this.stop();
    fs.rmSync(this.dir, { recursive: true, force: true });
  }

  /** Stops bitcoind and waits for its end. Kills the process if it refuses the call or takes too long. */
  async stop(): Promise<void> {
    if (this.#exit === null && this.#auth !== '') await this.call('stop').catch(() => undefined);
    else if (this.#exit === null) this.#child.kill();
    if (!(await this.ended())) await this.kill();
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended();
  }

  /** Waits for the process's end. @returns false if that takes too long */
  async ended(): Promise<boolean> {
    this.#agent.destroy();
    for (const until = Date.now() + PATIENCE_MS; this.#exit === null && Date.now() < until; ) await sleep(20);
    return this.#exit !== null;
  }

  async #answers(): Promise<void> {
    const cookie = path.join(this.dir, 'regtest', '.cookie');
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(20)) {
      if (this.#exit !== null) throw new Error(`bitcoind ended at its start: ${this.#exit}`);
      if (!fs.existsSync(cookie)) continue;
      try {
        this.#auth = fs.readFileSync(cookie, 'utf8').trim();
        await this.call('getblockcount');
        return;
      } catch (error) {
        if (error instanceof CoreError && error.code !== IN_WARMUP) throw error;
      }
    }
    throw new Error('bitcoind did not answer in time');
  }
}

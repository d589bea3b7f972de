// Starts real daemons for functional tests and calls them. Each has a new data folder and its own ports, and is stopped
// and removed at the end of the test. Requests use node:http and none of the daemon's code.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CallError, type HttpReply, httpRequest, resultOf } from './http-request.js';
import { freePort } from './ports.js';
import { PATIENCE_MS } from './until.js';

export { CallError, freePort };

const root = path.resolve(import.meta.dirname, '../../..');
const bundled = path.join(root, 'build', 'bundle', 'src', 'bin');
/** Path of the daemon in the bundle, or of the compiled file in runs that change compiled files (mutants). */
export const daemonFile =
  process.env.ADIT_TEST_UNBUNDLED === '1' ? path.join(root, 'build', 'src', 'aditd.js') : path.join(bundled, 'aditd.cjs');
/** Path of the command-line client in the bundle. */
export const cliFile = path.join(bundled, 'adit-cli.cjs');
/** Longest time in milliseconds for a start or a stop. */
const START_MS = PATIENCE_MS;

/** Returns code and text of the error with which a call fails. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'no error';
  } catch (error) {
    return error instanceof CallError ? `${error.code} ${error.message}` : String(error);
  }
}

/** Idle connections are closed long before the server closes them, so that no call uses a connection at that moment. */
const newAgent = (): http.Agent => new http.Agent({ keepAlive: true, timeout: 5_000 });

/** A daemon on regtest, or on the network that the options select. */
export class Daemon {
  readonly dir: string;
  readonly port: number;
  readonly options: readonly string[];
  readonly #networkFolder: string;
  child: ChildProcess | undefined;
  /** Environment variables of the process in addition to those of the test. */
  env: Readonly<Record<string, string>> = {};
  #exit: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  #agent = newAgent();
  #auth = '';
  #through: readonly string[] = [];
  #credentials: string | undefined;
  #file = daemonFile;
  #ca: Uint8Array | undefined;

  private constructor(dir: string, port: number, options: readonly string[]) {
    this.dir = dir;
    this.port = port;
    this.options = options;
    this.#networkFolder = options.includes('-signet')
      ? 'signet'
      : options.includes('-chain=main')
        ? ''
        : options.includes('-testnet')
          ? 'testnet3'
          : 'regtest';
  }

  /** Starts a daemon on a new folder and waits until it answers. It has one front unless the options say otherwise. */
  static async start(...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    await daemon.up();
    return daemon;
  }

  /** Starts a daemon like `start`, and removes it at the end of a test. */
  static async startFor(t: { teardown(end: () => unknown): unknown }, ...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    t.teardown(() => daemon.remove());
    await daemon.up();
    return daemon;
  }

  /** Starts the daemon of another build, like `start`. @param file its aditd.js */
  static async startFrom(file: string, ...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    daemon.#file = file;
    await daemon.up();
    return daemon;
  }

  /**
   * Starts a daemon through another command, which gets the daemon's command line as arguments.
   * @param through for example ['sh', '-c', '…', 'sh']
   */
  static async startThrough(through: readonly string[], ...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    daemon.#through = through;
    await daemon.up();
    return daemon;
  }

  /** Starts a daemon without a cookie. @param credentials user:password that its options accept */
  static async startAs(credentials: string, ...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    daemon.#credentials = credentials;
    await daemon.up();
    return daemon;
  }

  /** Creates a daemon over a copy of a data folder, without starting it. */
  static async over(folder: string, ...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    fs.cpSync(folder, daemon.dir, { recursive: true });
    daemon.#exit = { code: 0, signal: null };
    return daemon;
  }

  /**
   * Makes later calls use TLS.
   * @param ca the server's certificate
   * @param credentials user:password that the options accept
   */
  useTls(ca: Uint8Array, credentials: string): void {
    this.#ca = ca;
    this.#credentials = credentials;
  }

  /** Exit code and signal of the process; undefined while it runs. */
  get exit(): { code: number | null; signal: NodeJS.Signals | null } | undefined {
    return this.#exit;
  }

  get networkDir(): string {
    return path.join(this.dir, this.#networkFolder);
  }

  /** Starts the process (again) on the same folder. */
  async up(...more: string[]): Promise<void> {
    // Starting a second process would leave the first one running for ever.
    if (this.child !== undefined && this.#exit === undefined) throw new Error('the daemon runs already');
    const network = this.#networkFolder === 'regtest' ? ['-regtest'] : [];
    const fronts = this.options.some((option) => option.startsWith('-fronts=')) ? [] : ['-fronts=1'];
    // Size of the key pool. The default of a thousand keys of each kind takes half a second.
    const keys = [...this.options, ...more].some((option) => option.startsWith('-keypool=')) ? [] : ['-keypool=20'];
    // Unless the test is about peers, the daemon opens no connections and listens on no port.
    const peers = [...this.options, ...more].some((option) => /^-(listen|port|bind|connect|addnode|seednode|whitebind)=/.test(option));
    const out = fs.openSync(path.join(this.dir, 'stdout.log'), 'a');
    this.#exit = undefined;
    this.#agent.destroy();
    this.#agent = newAgent();
    fs.rmSync(path.join(this.networkDir, '.cookie'), { force: true });
    const [command = '', ...before] = [...this.#through, process.execPath];
    this.child = spawn(
      command,
      [
        ...before,
        // Options of Node.js for profiles: DAEMON_NODE="--cpu-prof --cpu-prof-dir=/tmp/prof".
        ...(process.env.DAEMON_NODE?.split(' ') ?? []),
        this.#file,
        ...network,
        `-datadir=${this.dir}`,
        `-rpcport=${this.port}`,
        '-printtoconsole=0',
        '-checktemplates=1',
        // The warm-up would occupy all cores for seconds after the first template.
        '-rehearse=0',
        ...fronts,
        ...keys,
        ...(peers ? [] : ['-listen=0', '-connect=0']),
        ...this.options,
        ...more,
      ],
      { stdio: ['ignore', out, out], env: { ...process.env, ...this.env } },
    );
    fs.closeSync(out);
    this.child.on('exit', (code, signal) => {
      this.#exit = { code, signal };
    });
    for (const deadline = Date.now() + START_MS; Date.now() < deadline; await sleep(15)) {
      const exit = this.exit;
      if (exit) throw new Error(`the daemon ended (${exit.code ?? exit.signal}): ${this.output().slice(-1500)}`);
      try {
        this.#auth = this.#credentials ?? fs.readFileSync(path.join(this.networkDir, '.cookie'), 'utf8').trim();
        await this.call('getblockcount');
        return;
      } catch (error) {
        if (error instanceof CallError && error.code !== -28) throw error;
      }
    }
    throw new Error('the daemon did not answer in time');
  }

  /** Returns what the process printed. */
  output(): string {
    return fs.readFileSync(path.join(this.dir, 'stdout.log'), 'utf8');
  }

  get auth(): string {
    return this.#auth;
  }

  /** Sends an HTTP request with the cookie. */
  post(body: string, options: { path?: string; agent?: http.Agent; signal?: AbortSignal; auth?: string } = {}): Promise<HttpReply> {
    const headers = { 'content-type': 'text/plain' };
    const { auth = this.#auth, agent = this.#ca ? false : this.#agent } = options;
    return httpRequest({ ...options, port: this.port, agent, ca: this.#ca, auth, headers, body });
  }

  /** Returns the result of a call. @throws CallError */
  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  async call(method: string, ...params: unknown[]): Promise<any> {
    return this.#callAt('/', method, params);
  }

  /** Returns the result of a call to one of several wallets. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  callWallet(wallet: string, method: string, ...params: unknown[]): Promise<any> {
    return this.#callAt(`/wallet/${encodeURIComponent(wallet)}`, method, params);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  async #callAt(path: string, method: string, params: unknown[]): Promise<any> {
    return resultOf(await this.post(JSON.stringify({ id: 1, method, params }), { path }));
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended();
  }

  /** Waits until the process has ended. */
  async ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    for (const deadline = Date.now() + START_MS; !this.#exit && Date.now() < deadline; ) await sleep(10);
    if (!this.#exit) {
      this.child?.kill('SIGKILL');
      throw new Error('the daemon did not end in time');
    }
    return this.#exit;
  }

  /**
   * Stops the daemon by a call and waits for its end.
   * @throws if it had ended before, refuses the call, or ends with another exit code than 0
   */
  async stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const how = ({ code, signal }: { code: number | null; signal: NodeJS.Signals | null }): string =>
      `(${code ?? signal}): ${this.output().slice(-1500)}`;
    if (this.#exit) throw new Error(`the daemon had ended before it was to stop ${how(this.#exit)}`);
    await this.call('stop');
    const exit = await this.ended();
    if (exit.code !== 0) throw new Error(`the daemon failed to stop ${how(exit)}`);
    return exit;
  }

  /** Ends the process, by force if necessary, and removes its folder. */
  async remove(): Promise<void> {
    this.#agent.destroy();
    if (!this.#exit) await this.kill();
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

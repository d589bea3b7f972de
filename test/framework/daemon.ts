// Starts real daemons for functional tests and talks to them: a fresh data folder each, ports of its own, ended and
// removed with the test. Nothing here uses the daemon's own code: requests are made with node:http alone.
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
/** The daemon and the client, as they are shipped. */
export const daemonFile = path.join(bundled, 'aditd.cjs');
export const cliFile = path.join(bundled, 'adit-cli.cjs');
/** How long a start or an end may take, in milliseconds. */
const START_MS = PATIENCE_MS;

/** Code and text of the error that a call ends with. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'no error';
  } catch (error) {
    return error instanceof CallError ? `${error.code} ${error.message}` : String(error);
  }
}

/** Its connections end long before the server closes a quiet one: a call must not meet that. */
const newAgent = (): http.Agent => new http.Agent({ keepAlive: true, timeout: 5_000 });

/** A running daemon on regtest (or the network the options name). */
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

  /** Starts a daemon on a fresh folder and waits until it answers. One front unless the options say otherwise. */
  static async start(...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    await daemon.up();
    return daemon;
  }

  /** The same with another build's daemon. @param file its aditd.js */
  static async startFrom(file: string, ...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    daemon.#file = file;
    await daemon.up();
    return daemon;
  }

  /** The same by way of another command, which gets the command line of the daemon. @param through sh -c '…' sh, say */
  static async startThrough(through: readonly string[], ...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    daemon.#through = through;
    await daemon.up();
    return daemon;
  }

  /** Starts a daemon that keeps no cookie. @param credentials user:password that its options admit */
  static async startAs(credentials: string, ...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    daemon.#credentials = credentials;
    await daemon.up();
    return daemon;
  }

  /** A daemon over a copy of a data folder; it is not started. */
  static async over(folder: string, ...options: string[]): Promise<Daemon> {
    const daemon = new Daemon(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-test-')), await freePort(), options);
    fs.cpSync(folder, daemon.dir, { recursive: true });
    daemon.#exit = { code: 0, signal: null };
    return daemon;
  }

  /** Makes calls over TLS. @param ca the server's certificate @param credentials user:password that the options admit */
  useTls(ca: Uint8Array, credentials: string): void {
    this.#ca = ca;
    this.#credentials = credentials;
  }

  /** How the process ended, undefined while it runs. */
  get exit(): { code: number | null; signal: NodeJS.Signals | null } | undefined {
    return this.#exit;
  }

  get networkDir(): string {
    return path.join(this.dir, this.#networkFolder);
  }

  /** Starts the process (again) on the same folder. */
  async up(...more: string[]): Promise<void> {
    // Nothing would end the process before.
    if (this.child !== undefined && this.#exit === undefined) throw new Error('the daemon runs already');
    const network = this.#networkFolder === 'regtest' ? ['-regtest'] : [];
    const fronts = this.options.some((option) => option.startsWith('-fronts=')) ? [] : ['-fronts=1'];
    // Keys that a wallet makes ahead; a thousand, of every kind, take half a second.
    const keys = [...this.options, ...more].some((option) => option.startsWith('-keypool=')) ? [] : ['-keypool=20'];
    // Nobody is called and no port is taken that another test may have, unless the test is about peers.
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
        // For profiles: DAEMON_NODE="--cpu-prof --cpu-prof-dir=/tmp/prof".
        ...(process.env.DAEMON_NODE?.split(' ') ?? []),
        this.#file,
        ...network,
        `-datadir=${this.dir}`,
        `-rpcport=${this.port}`,
        '-printtoconsole=0',
        '-checktemplates=1',
        // Seconds of all cores behind each first template.
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

  /** One HTTP request with the cookie. */
  post(body: string, options: { path?: string; agent?: http.Agent; signal?: AbortSignal; auth?: string } = {}): Promise<HttpReply> {
    const headers = { 'content-type': 'text/plain' };
    const { auth = this.#auth, agent = this.#ca ? false : this.#agent } = options;
    return httpRequest({ ...options, port: this.port, agent, ca: this.#ca, auth, headers, body });
  }

  /** A call's result. @throws CallError */
  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  async call(method: string, ...params: unknown[]): Promise<any> {
    return this.#callAt('/', method, params);
  }

  /** The same of one of several wallets. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  callWallet(wallet: string, method: string, ...params: unknown[]): Promise<any> {
    return this.#callAt(`/wallet/${encodeURIComponent(wallet)}`, method, params);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  async #callAt(path: string, method: string, params: unknown[]): Promise<any> {
    return resultOf(await this.post(JSON.stringify({ id: 1, method, params }), { path }));
  }

  /** Ends the process without warning. */
  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended();
  }

  /** Waits for the process's end. */
  async ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    for (const deadline = Date.now() + START_MS; !this.#exit && Date.now() < deadline; ) await sleep(10);
    if (!this.#exit) {
      this.child?.kill('SIGKILL');
      throw new Error('the daemon did not end in time');
    }
    return this.#exit;
  }

  /**
   * Asks it to stop and waits.
   * @throws when it had ended before, refuses the call, or ends otherwise than with exit code 0
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

  /** Ends it one way or the other and removes its folder. */
  async remove(): Promise<void> {
    this.#agent.destroy();
    if (!this.#exit) await this.kill();
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

// Brokers and processes of fronts for the tests of a fleet: the real nats-server on ports of its own, and adit-front.
// Every process is stopped, and its folder removed, at the end of the test.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon } from './daemon.js';
import { CallError, type HttpReply, httpRequest, resultOf } from './http-request.js';
import { freePort } from './ports.js';
import { PATIENCE_MS, until } from './until.js';

/** Reason for skipping tests of a fleet; false if they can run. */
export const noBroker: false | { readonly skip: string } =
  spawnSync('nats-server', ['--version']).status === 0 ? false : { skip: 'needs the nats-server program' };

const frontFile = path.resolve(import.meta.dirname, '../../../build/bundle/src/bin/adit-front.cjs');

/** A process that tests can pause, kill and wait for. */
class Program {
  child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(
    readonly dir: string,
    private readonly logName: string,
  ) {}

  get output(): string {
    const file = path.join(this.dir, this.logName);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  protected launch(command: string, args: readonly string[]): void {
    const out = fs.openSync(path.join(this.dir, this.logName), 'a');
    const child = spawn(command, args, { stdio: ['ignore', out, out] });
    fs.closeSync(out);
    this.child = child;
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Ends the process with a signal, and waits for its end. */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.running) this.child?.kill(signal);
    await this.#ended;
  }
}

/** A nats-server. */
export class Broker extends Program {
  readonly url: string;

  private constructor(
    dir: string,
    readonly port: number,
    private readonly configuration: string,
  ) {
    super(dir, 'nats.log');
    this.url = `nats://127.0.0.1:${port}`;
  }

  /** @param configuration further lines of the server's configuration file; JetStream is on */
  static async start(configuration = ''): Promise<Broker> {
    const broker = new Broker(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-nats-')), await freePort(), configuration);
    await broker.up();
    return broker;
  }

  /** Starts the server (again) on its folder. */
  async up(): Promise<void> {
    const file = path.join(this.dir, 'nats.conf');
    const lines = [`listen: "127.0.0.1:${this.port}"`, `jetstream { store_dir: "${path.join(this.dir, 'js')}" }`, this.configuration, ''];
    fs.writeFileSync(file, lines.join('\n'));
    this.launch('nats-server', ['-c', file]);
    await until('the broker listens', () => {
      if (!this.running) throw new Error(`nats-server ended: ${this.output.slice(-1500)}`);
      return this.output.includes('Server is ready');
    });
  }

  async remove(): Promise<void> {
    await this.end();
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Starts a node of a fleet, in mode live. */
export function fleetNode(broker: Broker, name: string, ...more: string[]): Promise<Daemon> {
  return Daemon.start(`-fleet=${broker.url}`, `-fleetname=${name}`, '-fleetaccount=fronts', '-templatemode=live', ...more);
}

/** Reads the -fleetnode option for front processes from a node's log. */
export function followOption(node: Daemon): string {
  const found = /with (-fleetnode=[\w-]+:[0-9a-f]{64})/.exec(fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8'));
  if (!found) throw new Error('the node did not say its key');
  return found[1] as string;
}

/** A process of fronts on regtest. */
export class FrontProcess extends Program {
  readonly #agent = new http.Agent({ keepAlive: true, timeout: 5_000, maxSockets: 4_096 });

  private constructor(
    dir: string,
    readonly port: number,
    readonly options: readonly string[],
  ) {
    super(dir, 'front.log');
  }

  /** Starts a process of fronts, and waits until it answers. */
  static async start(...options: string[]): Promise<FrontProcess> {
    const front = await FrontProcess.begin(...options);
    await front.answers();
    return front;
  }

  /** Starts a process of fronts without waiting, because it may not find its nodes yet. */
  static async begin(...options: string[]): Promise<FrontProcess> {
    const front = new FrontProcess(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-front-')), await freePort(), options);
    front.up();
    return front;
  }

  up(): void {
    this.launch(process.execPath, [frontFile, '-regtest', `-rpcport=${this.port}`, '-rpcuser=u', '-rpcpassword=p', ...this.options]);
  }

  /** Waits until the process follows a node. */
  async answers(): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(20)) {
      if (!this.running) throw new Error(`adit-front ended: ${this.output.slice(-1500)}`);
      const fault = await this.call('getblockcount').then(
        () => null,
        (error: unknown) => error,
      );
      if (fault === null) return;
      if (fault instanceof CallError && fault.code !== -28) throw fault;
    }
    throw new Error('adit-front did not answer');
  }

  /** Sends an HTTP request. */
  post(body: string, options: { path?: string; auth?: string; signal?: AbortSignal } = {}): Promise<HttpReply> {
    return httpRequest({ ...options, port: this.port, agent: this.#agent, auth: options.auth ?? 'u:p', body });
  }

  /** Returns the result of a call. @throws CallError */
  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  async call(method: string, ...params: unknown[]): Promise<any> {
    return resultOf(await this.post(JSON.stringify({ id: 1, method, params })));
  }

  /** Name of the node that the process follows, according to its log. */
  get followed(): string {
    return [...this.output.matchAll(/fleet: following ([\w-]+) at/g)].at(-1)?.[1] ?? '';
  }

  async remove(): Promise<void> {
    this.#agent.destroy();
    await this.end();
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

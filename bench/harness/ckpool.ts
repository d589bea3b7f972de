// ckpool on bitcoind, for comparisons: a pool program for solo miners that asks the node for templates. It learns of new
// blocks by ZMQ. CKPOOL=/path/to/ckpool names the program; without it benches leave the comparison out.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/framework/ports.js';
import { bitcoindToCompare, CoreDaemon } from './core-daemon.js';

const PATIENCE_MS = 60_000;
const ANY_ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

export class Ckpool {
  /** Port for miners. */
  readonly port: number;
  readonly core: CoreDaemon;
  readonly #child: ChildProcess;
  readonly #dir: string;

  private constructor(port: number, core: CoreDaemon, child: ChildProcess, dir: string) {
    this.port = port;
    this.core = core;
    this.#child = child;
    this.#dir = dir;
  }

  /**
   * Starts ckpool and its bitcoind. Returns null without CKPOOL or COMPARE.
   * @param prepare fills the node before ckpool starts
   */
  static async start(prepare: (core: CoreDaemon) => Promise<void>): Promise<Ckpool | null> {
    const file = process.env.CKPOOL;
    const bitcoind = bitcoindToCompare();
    if (file === undefined || bitcoind === null) {
      console.error('no comparison with ckpool: CKPOOL=/path/to/ckpool and COMPARE=/path/to/bitcoind are needed');
      return null;
    }
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-ckpool-'));
    const [port, zmqPort] = [await freePort(), await freePort()];
    const zmq = `tcp://127.0.0.1:${zmqPort}`;
    const core = await CoreDaemon.start(bitcoind, `-zmqpubhashblock=${zmq}`, '-maxmempool=300');
    await prepare(core);
    const [user, pass] = core.auth.split(':');
    fs.mkdirSync(path.join(dir, 'log'));
    const config = {
      btcd: [{ url: `127.0.0.1:${core.port}`, auth: user, pass, notify: true }],
      serverurl: [`127.0.0.1:${port}`],
      zmqblock: zmq,
      logdir: path.join(dir, 'log'),
      btcsig: '/bench/',
      // ckpool does not start without an address of this network.
      donaddress: ANY_ADDRESS,
      mindiff: 1,
      startdiff: 1024,
    };
    const configFile = path.join(dir, 'ckpool.conf');
    fs.writeFileSync(configFile, JSON.stringify(config));
    const child = spawn(file, ['-B', '-k', '-c', configFile, '-s', path.join(dir, 'sockets'), '-l', '4'], { stdio: 'ignore' });
    const pool = new Ckpool(port, core, child, dir);
    for (const end = Date.now() + PATIENCE_MS; !(await answers(port)); await sleep(100)) {
      if (child.exitCode !== null || Date.now() > end) {
        await pool.end();
        throw new Error('ckpool does not start');
      }
    }
    return pool;
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.core.end();
    fs.rmSync(this.#dir, { recursive: true, force: true });
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

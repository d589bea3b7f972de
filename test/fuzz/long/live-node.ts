// A whole node in this process, on regtest, for targets that need one: with wallets, a few hundred blocks, and coins to
// spend. Unexpected errors are collected in `faults`.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { loadConfig, parseArgs } from '../../../src/config/load.js';
import type { NodeLogger } from '../../../src/log/create-logger.js';
import { prepareFolders } from '../../../src/node/data-folder.js';
import { type RunningNode, startNode } from '../../../src/node/start.js';
import { type HttpReply, httpRequest } from '../../framework/http-request.js';
import { freePort } from '../../framework/ports.js';
import type { Vocabulary } from './request-maker.js';

const CREDENTIALS = 'fuzz:fuzz';

/** Regtest's first blocks, made by the node itself. */
const BLOCKS = 110;

export class LiveNode {
  /** Errors in the node's log since the last check. */
  faults: string[] = [];
  readonly port: number;
  readonly peerPort: number;
  readonly #dir: string;
  readonly #cwd = process.cwd();
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  #node: RunningNode | undefined;
  vocabulary: Vocabulary = { hashes: [], addresses: [], hex: [], texts: [], psbts: [] };

  private constructor(dir: string, [port, peerPort]: readonly [number, number]) {
    this.#dir = dir;
    this.port = port;
    this.peerPort = peerPort;
  }

  static async start(): Promise<LiveNode> {
    const live = new LiveNode(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-fuzz-')), [await freePort(), await freePort()]);
    await live.#start();
    return live;
  }

  async #start(): Promise<void> {
    const [user, password] = CREDENTIALS.split(':');
    const options = [
      '-regtest',
      `-datadir=${this.#dir}`,
      `-rpcport=${this.port}`,
      `-port=${this.peerPort}`,
      '-bind=127.0.0.1',
      '-whitelist=noban@127.0.0.1',
      '-connect=0',
      '-dnsseed=0',
    ];
    const more = [
      `-rpcuser=${user}`,
      `-rpcpassword=${password}`,
      '-keypool=5',
      '-par=1',
      '-fallbackfee=0.0002',
      '-dbcache=16',
      '-maxmempool=20',
      '-acceptnonstdtxn=1',
    ];
    const config = loadConfig(parseArgs([...options, ...more]), prepareFolders);
    // Files that calls write under relative names are then written to this folder too.
    process.chdir(this.#dir);
    this.#node = await startNode(config, this.#logger(), new AbortController().signal, () => {});
    for (;;) {
      const { status } = await this.post('{"id":1,"method":"getblockcount"}').catch(() => ({ status: 0 }));
      if (status === 200) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await this.#prepare();
  }

  #logger(): NodeLogger {
    const categories = new Map([
      ['net', false],
      ['rpc', false],
    ]);
    return {
      info() {},
      warn() {},
      debug() {},
      shows: () => false,
      error: (message) => this.faults.push(message),
      path: '',
      setCategory: (name, on) => categories.has(name) && !!categories.set(name, on),
      isOn: (name) => categories.get(name) === true,
      fatal: (message) => this.faults.push(message),
      warnLoudly() {},
      reopen() {},
      close() {},
      showMockTime() {},
    };
  }

  async #prepare(): Promise<void> {
    await this.call('createwallet', ['w1']);
    await this.call('createwallet', ['w2', false, false, '', false, true]).catch(() => {});
    const own = async (...args: unknown[]): Promise<string> => String(await this.call('getnewaddress', args, '/wallet/w1'));
    const addresses = [await own(), await own('label', 'legacy'), await own('', 'p2sh-segwit')];
    const hashes = (await this.call('generatetoaddress', [BLOCKS, addresses[0]])) as string[];
    const block = (await this.call('getblock', [hashes[0], 0])) as string;
    const { tx } = (await this.call('getblock', [hashes[0], 1])) as { tx: string[] };
    const raw = (await this.call('createrawtransaction', [[{ txid: tx[0], vout: 0 }], { [addresses[1]]: 49.9 }])) as string;
    const signed = (await this.call('signrawtransactionwithwallet', [raw], '/wallet/w1').catch(() => ({ hex: raw }))) as { hex: string };
    const key = (await this.call('dumpprivkey', [addresses[1]], '/wallet/w1').catch(() => 'x')) as string;
    const info = (await this.call('getaddressinfo', [addresses[0]], '/wallet/w1')) as {
      desc: string;
      pubkey: string;
      scriptPubKey: string;
    };
    const psbt = (await this.call('createpsbt', [[{ txid: tx[0], vout: 0 }], { [addresses[1]]: 49.9 }]).catch(() => 'cHNidP8=')) as string;
    const updated = (await this.call('walletprocesspsbt', [psbt, false], '/wallet/w1')) as { psbt: string };
    const complete = (await this.call('walletprocesspsbt', [psbt], '/wallet/w1')) as { psbt: string };
    const proof = (await this.call('gettxoutproof', [[tx[0]], hashes[0]]).catch(() => '00')) as string;
    this.vocabulary = {
      hashes: [...hashes.slice(0, 3), ...hashes.slice(-3), ...tx, '00'.repeat(32)],
      addresses: [
        ...addresses,
        'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6',
      ],
      hex: [raw, signed.hex, block, block.slice(0, 160), proof, info.pubkey, info.scriptPubKey, '51', ''],
      texts: [
        '',
        'label',
        'x',
        'w1',
        'w2',
        'w3',
        key,
        info.desc,
        `addr(${addresses[0]})`,
        ...'raw(51) now ALL bech32 unset ECONOMICAL basic'.split(' '),
      ],
      psbts: [psbt, updated.psbt, complete.psbt],
    };
  }

  /** Makes one HTTP request. The client disconnects when it has waited long enough. */
  post(body: string | Uint8Array, uri = '/', patienceMs = 120_000): Promise<HttpReply> {
    return httpRequest({ port: this.port, path: uri, agent: this.#agent, auth: CREDENTIALS, body, timeoutMs: patienceMs });
  }

  /** @throws Error with code and message */
  async call(method: string, params: readonly unknown[] = [], uri = '/'): Promise<unknown> {
    const { body } = await this.post(JSON.stringify({ id: 1, method, params }), uri);
    const { result, error } = JSON.parse(body) as { result: unknown; error: { code: number; message: string } | null };
    if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#node?.stop();
    process.chdir(this.#cwd);
    fs.rmSync(this.#dir, { recursive: true, force: true });
  }
}

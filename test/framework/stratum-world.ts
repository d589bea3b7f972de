// A Stratum V1 session with a job board, a template, and a sink that records its calls. Tests set the time.
import { chainParams } from '../../src/consensus/params/networks.js';
import { createNativeHashes } from '../../src/crypto/native/hashes.js';
import type { SessionContext, SessionOptions } from '../../src/stratum/session/context.js';
import { StratumSession } from '../../src/stratum/session/session.js';
import type { AuthorizedWorker, FoundBlock, SessionSink, ShareRecord } from '../../src/stratum/session/sink.js';
import { type BoardTip, JobBoard } from '../../src/stratum/work/job-board.js';
import { Payouts } from '../../src/stratum/work/payouts.js';
import type { JobTemplate } from '../../src/stratum/work/template.js';
import { mineShare, type ServerLine, type Work } from './stratum-miner.js';

export const hashes = createNativeHashes();
export const NOW_SECONDS = 1_800_000_000;
export const NOW_MS = NOW_SECONDS * 1000;
/** Example address of BIP-0173, and its output script. */
export const ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
export const SCRIPT_HEX = '0014751e76e8199196d454941c45d1b3a323f1433bd6';
export const NAME = `${ADDRESS}.attic`;
export const EXTRANONCE1 = 'a1b2c3d4';
/** The lowest difficulty: 4,096 hashes. */
export const EASY = 2 ** -20;

/** Difficulty 2^32, so that no test finds a block by chance. */
export const TIP: BoardTip = {
  prevHash: Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex'),
  headerTimestamp: NOW_SECONDS,
  minTime: NOW_SECONDS - 3600,
  bits: 0x1900ffff,
  target: 0xffffn << 176n,
};
/** A tip on which every second hash is a block. */
export const EASY_TIP: BoardTip = { ...TIP, bits: 0x207fffff, target: 0x7fffffn << 232n };
export const TEMPLATE: JobTemplate = {
  height: 840_000,
  version: 0x20000000,
  value: 312_512_345,
  commitment: Buffer.from(`6a24aa21a9ed${'e2'.repeat(32)}`, 'hex'),
  branch: [Buffer.alloc(32, 0x11), Buffer.alloc(32, 0x22)],
};

const named = (name: 'main' | 'test' | 'regtest') => {
  const { base58, bech32Hrp } = chainParams(name);
  return { base58, bech32Hrp, name: { main: 'mainnet', test: 'testnet', regtest: 'regtest' }[name] };
};
export const MAIN = named('main');
export const OTHERS = [named('test'), named('regtest')];

export interface WorldOptions {
  readonly payoutAddress?: string;
  readonly fee?: string;
  readonly tag?: string;
  readonly versionMask?: number;
  readonly session?: Partial<SessionOptions>;
}

/** A miner at the other end of a session, and the sink of the session. */
export class TestMiner implements SessionSink {
  readonly session: StratumSession;
  /** Lines that the session has sent since the last call of `write`. */
  raw: string[] = [];
  readonly blocks: FoundBlock[] = [];
  readonly shares: ShareRecord[] = [];
  readonly names: AuthorizedWorker[] = [];
  readonly logs: string[] = [];
  closed: string | null = null;
  /** Parameters of the last mining.notify. */
  job: readonly unknown[] = [];
  difficulty = 0;
  readonly #extranonce1: string;

  constructor(context: SessionContext, nowMs: number, extranonce1: string) {
    this.#extranonce1 = extranonce1;
    this.session = new StratumSession(context, Buffer.from(extranonce1, 'hex'), this, nowMs);
  }

  send(bytes: Uint8Array): void {
    this.reply(Buffer.from(bytes).toString('latin1'));
  }
  reply(text: string): void {
    if (!text.endsWith('\n') || text.slice(0, -1).includes('\n')) throw new Error(`not one line: ${text}`);
    this.raw.push(text.slice(0, -1));
    const { method, params } = JSON.parse(text) as ServerLine;
    if (method === 'mining.notify') this.job = params as readonly unknown[];
    if (method === 'mining.set_difficulty') this.difficulty = params?.[0] as number;
  }
  close(reason: string, detail: string): void {
    this.closed = `${reason}: ${detail}`;
  }
  submitBlock(block: FoundBlock): void {
    this.blocks.push(block);
  }
  share(record: ShareRecord): void {
    this.shares.push(record);
  }
  authorized(worker: AuthorizedWorker): void {
    this.names.push(worker);
  }
  log(level: string, text: string): void {
    this.logs.push(`${level}: ${text}`);
  }

  /** Sends a text unchanged. @returns lines that the session sent back */
  write(text: string, nowMs = NOW_MS): string[] {
    this.raw = [];
    this.session.receive(Buffer.from(text, 'latin1'), nowMs);
    return this.raw;
  }

  /** Sends a request. @returns lines that the session sent back */
  call(id: unknown, method: string, params: readonly unknown[] = [], nowMs = NOW_MS): string[] {
    return this.write(`${JSON.stringify({ id, method, params })}\n`, nowMs);
  }

  /** Subscribes and authorizes. @returns lines that the session sent back */
  start({ agent = 'test/1', name = NAME, password = 'x' } = {}, nowMs = NOW_MS): string[] {
    const lines = this.call(1, 'mining.subscribe', [agent], nowMs);
    return [...lines, ...this.call(2, 'mining.authorize', [name, password], nowMs)];
  }

  /** Searches a share for the last job. */
  mine(wanted: (difficulty: number, hash: Buffer) => boolean, options?: Parameters<typeof mineShare>[3]) {
    return mineShare(this.job, this.#extranonce1, wanted, options);
  }

  /** Submits a share of the last job. @returns error code and text; null if it was accepted */
  submit(
    work: Work,
    { id = 9, name = NAME, job = this.job[0], nowMs = NOW_MS }: { id?: unknown; name?: string; job?: unknown; nowMs?: number } = {},
  ) {
    const params = [name, job, work.extranonce2, work.ntime, work.nonce, ...(work.versionBits === undefined ? [] : [work.versionBits])];
    const [reply] = this.call(id, 'mining.submit', params, nowMs);
    const { result, error } = JSON.parse(reply as string) as ServerLine;
    if (error === null && result === true) return null;
    return `${error?.[0]} ${error?.[1]}`;
  }
}

/** Creates the objects that all sessions of a thread share. */
export function stratumWorld({ payoutAddress, fee, tag = 'adit', versionMask = 0x1fffe000, session = {} }: WorldOptions = {}) {
  const network = { network: MAIN, otherNetworks: OTHERS, hashes };
  const payouts = new Payouts({ ...network, payoutAddress: payoutAddress ?? null, fee: fee ?? null });
  // The first job has number 0a0b0c0d.
  const board = new JobBoard({ payouts, tag: Buffer.from(tag), versionMask }, 0x0a0b0c0c);
  const options: SessionOptions = {
    startDifficulty: 1024,
    leastDifficulty: 1,
    mostDifficulty: 2 ** 40,
    sharesPerMinute: 8,
    versionMask,
    ...session,
  };
  const context: SessionContext = { board, payouts, hashes, options };
  return { board, payouts, context, connect: (nowMs = NOW_MS, extranonce1 = EXTRANONCE1) => new TestMiner(context, nowMs, extranonce1) };
}

// A node under attack: one honest peer, pollers of templates, and attackers in a process of their own, each attack
// alone and then all at once.

import { type ChildProcess, fork } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltBlock, buildBlock, GENESIS, reward } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { TRUE_SCRIPT } from '../framework/messages.js';
import { freePort } from '../framework/ports.js';
import { PATIENCE_MS, until } from '../framework/until.js';
import type { CoinFacts, Facts, Order, TipFacts } from './facts.js';
import { HonestUsers, type Seen } from './honest.js';
import type { AttackCounts } from './hostile-peer.js';

export interface HostileOptions {
  /** All in all, the making of the chain left out. */
  readonly seconds: number;
  /**
   * Only all at once, without a phase for each, and a second of quiet before and after it; it goes on until every attack
   * came through and the honest were served a little: on a slow machine less happens in a second.
   */
  readonly short: boolean;
  /** Blocks of the chain; a rival of 2,000 headers has less work when there are more than 2,150. */
  readonly blocks: number;
  /** Connections at a time: of an attack alone, and of each when all attack. */
  readonly lanesAlone: number;
  readonly lanesTogether: number;
  /** Connections of the attack that is about connections. */
  readonly connections: number;
  /** Names of attacks, for those who look at one; default all. */
  readonly only?: readonly string[];
  readonly tell?: (line: string) => void;
  /** More options of the attacked node. */
  readonly victimOptions?: readonly string[];
}

export interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly seen: Seen;
  readonly counts: Readonly<Record<string, AttackCounts>>;
}

export interface HostileReport {
  readonly phases: readonly Phase[];
  readonly faults: readonly string[];
  readonly blocks: number;
  readonly transactions: number;
  /** Most resident memory of the node, bytes (the kernel's mark). */
  readonly mostMemory: number;
  /** Lines of the node's log, and of these the errors. */
  readonly logLines: number;
  readonly logErrors: readonly string[];
  /** Load of the machine (1 minute) when the run ended. */
  readonly load: number;
}

const LARGE_BLOCKS = 6;
const BATCH = 100;
const QUIET_SHARE = 0.08;
const TOGETHER_SHARE = 0.3;
const RECENT = 8;
/** Number of blocks that a short run waits for. */
const LEAST_BLOCKS = 4;
const LEAST_TRANSACTIONS = 2;

interface Stage {
  readonly victim: Daemon;
  readonly honest: Daemon;
  readonly attackers: Attackers;
  readonly port: number;
  readonly metricsPort: number;
}

/** The attackers' process. */
class Attackers {
  readonly faults: string[] = [];
  names: readonly string[] = [];
  /** Counts of this phase, as of the attackers' last report. */
  counts: Readonly<Record<string, AttackCounts>> = {};
  #done: ((counts: Record<string, AttackCounts>) => void) | null = null;

  private constructor(private readonly child: ChildProcess) {}

  static start(): Promise<Attackers> {
    const child = fork(path.join(import.meta.dirname, 'attacker.js'), { execArgv: ['--enable-source-maps'] });
    const attackers = new Attackers(child);
    return new Promise((resolve, reject) => {
      child.once('exit', (code, signal) => {
        attackers.faults.push(`the attackers' process ended (${signal ?? code})`);
        reject(new Error('no attackers'));
      });
      child.on('message', (message: { kind: string; names?: string[]; counts?: Record<string, AttackCounts>; text?: string }) => {
        if (message.kind === 'ready') {
          attackers.names = message.names ?? [];
          resolve(attackers);
        } else if (message.kind === 'counted') attackers.counts = message.counts ?? {};
        else if (message.kind === 'done') attackers.#done?.(message.counts ?? {});
        else attackers.faults.push(message.text ?? 'unknown');
      });
    });
  }

  tell(order: Order): void {
    if (this.child.connected) this.child.send(order);
  }

  /** Ends what runs. @returns what it did */
  stop(): Promise<Record<string, AttackCounts>> {
    return new Promise((resolve) => {
      this.#done = resolve;
      this.child.exitCode === null || resolve({});
      this.tell({ kind: 'stop' });
    });
  }

  end(): void {
    this.child.removeAllListeners('exit');
    this.child.kill('SIGKILL');
  }
}

/** A chain up to now, with some large blocks at its end and rewards that anyone may spend. */
function makeChain(blocks: number): BuiltBlock[] {
  const began = Math.floor(Date.now() / 1000) - blocks * 10;
  const chain: BuiltBlock[] = [];
  let tip = GENESIS;
  for (let i = 0; i < blocks; i++) {
    const large = i >= blocks - LARGE_BLOCKS;
    const outs = large ? [{ value: 0, script: Buffer.alloc(900_000, 0x6a) }] : [];
    tip = buildBlock(tip, { time: began + i * 10, outs, script: TRUE_SCRIPT });
    chain.push(tip);
  }
  return chain;
}

async function feed(node: Daemon, chain: readonly BuiltBlock[]): Promise<void> {
  for (let at = 0; at < chain.length; at += BATCH) {
    const calls = chain.slice(at, at + BATCH).map(({ bytes }, id) => ({ id, method: 'submitblock', params: [bytes.toString('hex')] }));
    const { body } = await node.post(JSON.stringify(calls));
    const wrong = (JSON.parse(body) as { result: string | null }[]).find(({ result }) => result !== null);
    if (wrong !== undefined) throw new Error(`a block was not taken: ${JSON.stringify(wrong)}`);
  }
}

async function tipOf(node: Daemon): Promise<TipFacts> {
  const hash = (await node.call('getbestblockhash')) as string;
  const { height, time } = (await node.call('getblockheader', hash)) as { height: number; time: number };
  return { hash, height, time, header: (await node.call('getblockheader', hash, false)) as string };
}

const coinOf = (block: BuiltBlock): CoinFacts => {
  const { txid, index, value } = reward(block);
  return { txid: txid.toString('hex'), index, value };
};

async function setStage(options: HostileOptions, chain: readonly BuiltBlock[]): Promise<Stage> {
  const port = await freePort();
  const metricsPort = await freePort();
  const small = ['-par=1', '-dbcache=32', '-fronts=1', '-bind=127.0.0.1'];
  const victim = await Daemon.start(
    `-port=${port}`,
    `-metricsport=${metricsPort}`,
    '-templatemode=live',
    ...small,
    ...(options.victimOptions ?? []),
  );
  const honest = await Daemon.start(`-port=${await freePort()}`, `-addnode=127.0.0.1:${port}`, '-templatemode=live', ...small).catch(
    async (error: Error) => {
      await victim.remove();
      throw error;
    },
  );
  await feed(victim, chain);
  await until('the honest peer is at the tip', async () => (await honest.call('getblockcount')) === chain.length, 100);
  return { victim, honest, port, metricsPort, attackers: await Attackers.start() };
}

/** Attacks a node for a while. */
export async function runHostile(options: HostileOptions): Promise<HostileReport> {
  const tell = options.tell ?? (() => {});
  const chain = makeChain(options.blocks);
  const stage = await setStage(options, chain);
  const { victim, honest, attackers } = stage;
  const phases: Phase[] = [];
  try {
    // Old rewards of a halved subsidy are worth nothing; the first ones are. Half for the honest, half for the others.
    const coins = chain.slice(0, 600).map(coinOf);
    const recent: string[] = [];
    let facts: Facts = {
      port: stage.port,
      tip: await tipOf(victim),
      large: chain.slice(-LARGE_BLOCKS).map(({ hashHex }) => hashHex),
      recent,
      coins: coins.slice(0, 300),
      firstTime: (chain[0] as BuiltBlock).time,
    };
    attackers.tell({ kind: 'facts', facts });
    const users = new HonestUsers({
      ...stage,
      coins: coins.slice(300),
      blockMs: options.short ? 1_000 : 3_000,
      txMs: 1_000,
      coming: (header) => attackers.tell({ kind: 'coming', header }),
      onBlock: async ({ hashHex }) => {
        recent.push(hashHex);
        if (recent.length > RECENT) recent.shift();
        facts = { ...facts, tip: await tipOf(victim), recent };
        attackers.tell({ kind: 'facts', facts });
      },
    });
    users.start();
    const phase = async (name: string, seconds: number, attacks: readonly { name: string; lanes: number }[]): Promise<void> => {
      users.turn();
      attackers.tell({ kind: 'start', attacks });
      const end = Date.now() + seconds * 1_000;
      const enough = (): boolean =>
        !options.short ||
        attacks.length === 0 ||
        Date.now() > end + PATIENCE_MS ||
        (users.blocks >= LEAST_BLOCKS &&
          users.transactions >= LEAST_TRANSACTIONS &&
          attacks.every((attack) => (attackers.counts[attack.name]?.connected ?? 0) > 0));
      for (; victim.exit === undefined && (Date.now() < end || !enough()); await sleep(100)) attackers.tell({ kind: 'count' });
      const counts = await attackers.stop();
      const done: Phase = { name, seconds, seen: users.turn(), counts };
      phases.push(done);
      tell(phaseLine(done));
    };
    const names = attackers.names.filter((name) => options.only?.includes(name) ?? true);
    const lanesOf = (name: string, usual: number): number => (name === 'connections' ? options.connections : usual);
    const quiet = options.short ? 1 : Math.max(3, options.seconds * QUIET_SHARE);
    const together = options.short ? options.seconds - 2 * quiet : options.seconds * TOGETHER_SHARE;
    const alone = options.short ? 0 : (options.seconds - 2 * quiet - together) / names.length;
    await phase('quiet before', quiet, []);
    if (alone > 0) for (const name of names) await phase(name, alone, [{ name, lanes: lanesOf(name, options.lanesAlone) }]);
    await phase(
      'all at once',
      together,
      names.map((name) => ({ name, lanes: lanesOf(name, options.lanesTogether) })),
    );
    await phase('quiet after', quiet, []);
    await users.stop();
    const faults = [...users.faults, ...attackers.faults];
    if (victim.exit !== undefined) faults.push(`the node ended: ${victim.output().slice(-1_500)}`);
    else if ((await tipOf(victim)).hash !== (await tipOf(honest)).hash) faults.push('the nodes end on different tips');
    return { phases, faults, blocks: users.blocks, transactions: users.transactions, ...aftermath(victim) };
  } finally {
    attackers.end();
    await victim.remove();
    await honest.remove();
  }
}

/** One line of figures. */
export function phaseLine({ name, seen }: Phase): string {
  const ms = (series: readonly number[], at: number): string => {
    const sorted = [...series].sort((a, b) => a - b);
    const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))];
    return value === undefined ? '-' : value.toFixed(value < 10 ? 1 : 0);
  };
  const pair = (series: readonly number[]): string => `${ms(series, 0.5)}/${ms(series, 0.99)}`;
  const most = (series: readonly number[]): string => ms(series, 1);
  const rss = (Math.max(0, ...seen.rss) / 2 ** 20).toFixed(0);
  return [
    name.padEnd(18),
    `gbt ${pair(seen.templates)}`,
    `fresh ${pair(seen.freshTemplate)}`,
    `call ${pair(seen.calls)}`,
    `lag p99 ${ms(seen.lagP99, 0.5)} max ${most(seen.lagMost)}`,
    `blocks out ${most(seen.blocksOut)} in ${most(seen.blocksIn)} (${seen.blocksOut.length + seen.blocksIn.length})`,
    `txs out ${most(seen.txsOut)} in ${most(seen.txsIn)} (${seen.txsOut.length + seen.txsIn.length})`,
    `rss ${rss} MB`,
  ].join('  ');
}

function aftermath(victim: Daemon): Pick<HostileReport, 'mostMemory' | 'logLines' | 'logErrors' | 'load'> {
  let mostMemory = Number.NaN;
  try {
    const status = fs.readFileSync(`/proc/${victim.child?.pid}/status`, 'utf8');
    mostMemory = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  } catch {
    // No such file outside Linux, and none of a process that is gone.
  }
  const lines = fs.readFileSync(path.join(victim.networkDir, 'debug.log'), 'utf8').split('\n');
  const logErrors = [...lines.filter((line) => /^\S+ Error:/.test(line)), ...victim.output().split('\n').filter(Boolean)];
  return { mostMemory, logLines: lines.length, logErrors, load: os.loadavg()[0] as number };
}

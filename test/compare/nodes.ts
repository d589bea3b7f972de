// Adit and a bitcoind that receive the same calls. bitcoind replies at once, because the next actions depend on its
// state. Adit receives the calls of several steps in one batch.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CoreDaemon } from '../../bench/harness/core-daemon.js';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { canonical } from './differences.js';
import type { Dice } from './transactions.js';

export type Call = [method: string, ...params: unknown[]];

/** A parameter that is written into the request as it is, for example a number in an unusual form. */
export class Token {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): string {
    return `\u0001${this.#text.replaceAll('"', '\u0002')}`;
  }
}

/** Returns the text of a call; tokens are written as they are. */
export const written = (call: unknown): string =>
  JSON.stringify(call).replace(/"\\u0001([^"]*)"/g, (_, token: string) => token.replaceAll('\\u0002', '"'));

export type Node = Pick<CoreDaemon, 'call' | 'post'>;

interface Reply {
  readonly id: number;
  readonly result: unknown;
  readonly error: { readonly code: number; readonly message: string } | null;
}

/** Sends calls as one batch and returns their replies, errors included. */
export async function replies(node: Node, calls: readonly Call[]): Promise<unknown[]> {
  if (calls.length === 0) return [];
  const { body } = await node.post(written(calls.map(([method, ...params], id) => ({ id, method, params }))));
  const list: Reply[] = JSON.parse(body);
  if (!Array.isArray(list) || list.length !== calls.length) throw new Error(`no batch of replies: ${body.slice(0, 200)}`);
  return list.sort((a, b) => a.id - b.id).map(({ result, error }) => (error ? { error: `${error.code} ${error.message}` } : result));
}

/** Calls that change the chain or the clock. After a kill, only these calls of the batch are sent again. */
const OF_CHAIN = new Set(['setmocktime', 'submitblock', 'invalidateblock', 'reconsiderblock']);
/** A kill comes at most this many milliseconds after a call was sent. The stream's blocks take 1 to 10 ms. */
const KILL_WITHIN_MS = 12;
/** Milliseconds after the start of a process within which it is killed, for kills during a start of about 700 ms. */
const KILL_START_WITHIN_MS = 1000;

export const isOfChain = ([method]: Call): boolean => OF_CHAIN.has(method);
const moves = (call: Call): boolean => isOfChain(call) && call[0] !== 'setmocktime';

/** One call that both nodes received, and both replies. */
export interface Pair {
  readonly step: number;
  /** The action to which the call belongs. */
  readonly name: string;
  readonly call: Call;
  readonly core: unknown;
  readonly adit: unknown;
}

export class Nodes {
  readonly core: CoreDaemon;
  readonly adit: Daemon;
  /** P2P ports: bitcoind's, then Adit's. */
  readonly ports: readonly [number, number];
  /** Number of kills. */
  kills = 0;
  unanswered = 0;
  /** True if adit gets its calls while bitcoind answers the next ones. Kills need calls that adit has not received. */
  readonly #sendsEarly: boolean;
  /** Calls that bitcoind has answered and adit has not received yet. */
  #ahead: Omit<Pair, 'adit'>[] = [];
  /** Calls that adit has received, with its replies. */
  #sent: Promise<Pair[]> = Promise.resolve([]);
  #isSending = false;

  private constructor(core: CoreDaemon, adit: Daemon, ports: readonly [number, number], sendsEarly: boolean) {
    this.core = core;
    this.adit = adit;
    this.ports = ports;
    this.#sendsEarly = sendsEarly;
  }

  /**
   * @param more further options of both
   * @param sendsEarly whether adit gets its calls while bitcoind answers the next ones
   */
  static async start(bitcoind: string, version: string, more: readonly string[] = ['-disablewallet'], sendsEarly = false): Promise<Nodes> {
    const ports = [await freePort(), await freePort()] as const;
    // Threads that this comparison does not need are disabled. With a single script thread both nodes report the same
    // text for a failed script.
    const [forCore, forAdit] = ports.map((port) => [`-port=${port}`, '-bind=127.0.0.1', '-connect=0', '-listen=1', '-par=1', ...more]);
    const core = await CoreDaemon.start(bitcoind, ...forCore!, '-rpcthreads=1', '-rpcservertimeout=600');
    try {
      return new Nodes(core, await Daemon.start(`-compat=${version}`, '-fronts=1', ...forAdit!), ports, sendsEarly);
    } catch (error) {
      await core.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    await Promise.all([this.core.end(), this.adit.remove()]);
  }

  /**
   * Sends calls to bitcoind and returns its replies. Adit receives them with the next call of `caughtUp`. @param ofCore
   * calls for bitcoind alone, sent after the others
   */
  async ask(step: number, name: string, calls: readonly Call[], ofCore: readonly Call[]): Promise<unknown[]> {
    const list = await replies(this.core, [...calls, ...ofCore]);
    this.#ahead.push(...calls.map((call, i) => ({ step, name, call, core: list[i] })));
    if (this.#sendsEarly && !this.#isSending) this.#send();
    return list.slice(calls.length);
  }

  /** Sends Adit the calls that it has not received, after those that it is answering. */
  #send(): void {
    const ahead = this.#ahead;
    this.#ahead = [];
    this.#isSending = true;
    this.#sent = this.#sent.then(async (pairs) => {
      const list = await replies(
        this.adit,
        ahead.map(({ call }) => call),
      );
      this.#isSending = false;
      return [...pairs, ...ahead.map((one, i) => ({ ...one, adit: list[i] }))];
    });
    // caughtUp() reports a failure.
    this.#sent.catch(() => {});
  }

  /** Sends Adit all calls that it has not received yet. @returns the pairs since the last call */
  async caughtUp(): Promise<Pair[]> {
    this.#send();
    const sent = this.#sent;
    this.#sent = Promise.resolve([]);
    return sent;
  }

  /** Returns the replies of both to calls that change nothing, with sorted members. */
  async both(calls: readonly Call[]): Promise<[core: unknown[], adit: unknown[]]> {
    const [core, adit] = await Promise.all([replies(this.core, calls), replies(this.adit, calls)]);
    return [core.map(canonical), adit.map(canonical)];
  }

  /**
   * Sends Adit the calls that it has not received, kills it while it processes one of them, and starts it again. Then
   * sends this call and the later ones again, without transactions.
   * @returns pairs of the calls that Adit answered, and of the later calls that change the chain
   */
  async killAdit(dice: Dice): Promise<Pair[]> {
    const ahead = this.#ahead;
    const places = [...ahead.keys()];
    const moving = places.filter((i) => moves(ahead[i]!.call));
    const at = dice.pick(moving.length > 0 && dice.chance(0.8) ? moving : places);
    this.#ahead = ahead.slice(0, at);
    const before = await this.caughtUp();
    await this.kill(this.adit, replies(this.adit, [ahead[at]!.call]), dice);
    const time = ahead.slice(0, at).findLast(({ call }) => call[0] === 'setmocktime');
    const again = [...(time ? [time] : []), ahead[at]!].filter(({ call }) => isOfChain(call));
    await replies(
      this.adit,
      again.map(({ call }) => call),
    );
    this.#ahead = ahead.slice(at + 1).filter(({ call }) => isOfChain(call));
    return [...before, ...(await this.caughtUp())];
  }

  /** Kills a node at a random moment within the next milliseconds, sometimes while it starts, and starts it again. */
  async kill(node: CoreDaemon | Daemon, work: Promise<unknown>, dice: Dice): Promise<void> {
    const done = work.then(
      () => true,
      () => false,
    );
    const end = performance.now() + dice.below(KILL_WITHIN_MS * 100) / 100;
    while (performance.now() < end) await new Promise(setImmediate);
    await node.kill();
    this.kills++;
    if (!(await done)) this.unanswered++;
    while (dice.chance(0.25)) {
      const started = node.up().catch(() => undefined);
      await sleep(dice.below(KILL_START_WITHIN_MS));
      await node.kill();
      await started;
    }
    await node.up();
  }

  /**
   * Stops both and starts them again with their folders.
   * @param time time of both afterwards, in seconds
   * @param poolOf node whose mempool both start with. Without it, each starts with its own
   */
  async restart(time: number, poolOf?: Node): Promise<void> {
    await Promise.all([this.core.stop(), this.adit.stop()]);
    const pools = [path.join(this.core.dir, 'regtest', 'mempool.dat'), path.join(this.adit.networkDir, 'mempool.dat')] as const;
    if (poolOf === this.core) fs.copyFileSync(pools[0], pools[1]);
    if (poolOf === this.adit) fs.copyFileSync(pools[1], pools[0]);
    await Promise.all([this.core, this.adit].map((node) => node.up(`-mocktime=${time}`)));
    for (const node of [this.core, this.adit])
      for (let loaded = false; !loaded; ) {
        ({ loaded } = await node.call('getmempoolinfo'));
        if (!loaded) await sleep(10);
      }
  }
}

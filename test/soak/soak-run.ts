// One run of the soak: who does what, and what was seen. Started by soak-live.ts and by the short form in
// test/functional.
import { setTimeout as sleep } from 'node:timers/promises';
import { LAG_STEP_MS } from '../../src/lib/loop-lag.js';
import { type BuiltBlock, buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { figure, scrape } from '../framework/scrape.js';
import { Bystander } from './bystander.js';
import { Judge } from './judge.js';
import { type BatchReply, Payments } from './payments.js';
import { idOf, type RawReply, SoakClient } from './soak-client.js';
import { MEMORY_PARTS, type MemoryPart, type SoakOptions, type SoakReport } from './soak-report.js';
import { blockOf } from './template-block.js';

const POLLERS = 4;
const POLLER_MS = 100;
const PAYING_MS = 250;
const START_BLOCKS = 130;
/** Longest time until a poll receives a block, and until all clients finish at the end. */
const PATIENCE_MS = 60_000;
const SCRAPE_MS = 10_000;
/** The first scrapes are the start's. */
const SETTLED = 2;
const DEEPEST = 3;
const MOST_TIMES = 100_000;

class Soak {
  readonly #options: SoakOptions;
  readonly #node: SoakClient;
  readonly #rival: SoakClient;
  readonly #judge: Judge;
  readonly #metrics: number;
  readonly #roll = pseudoRandom(20_001);
  readonly #payments = new Payments(this.#roll);
  readonly #errors: string[] = [];
  readonly #pollerMs: number[] = [];
  readonly #residentMb: number[] = [];
  readonly #census = Object.fromEntries(Object.keys(MEMORY_PARTS).map((part) => [part, []])) as unknown as Record<MemoryPart, number[]>;
  readonly #lagMs: number[] = [];
  readonly #bystanderMs: number[] = [];
  /** Tip that each poll received last. */
  readonly #told: string[];
  /** Ends of the active chain, newest last. */
  #branch: BuiltBlock[];
  #over = false;
  #blocks = 0;
  #reorganisations = 0;
  #pollsAnswered = 0;
  #leftBehind = 0;

  constructor(options: SoakOptions, node: SoakClient, rival: SoakClient, metrics: number, chain: readonly BuiltBlock[]) {
    this.#options = options;
    this.#node = node;
    this.#rival = rival;
    this.#judge = new Judge(rival);
    this.#metrics = metrics;
    this.#branch = chain.slice(-DEEPEST - 1);
    this.#told = new Array<string>(options.polls).fill('');
  }

  async run(chain: readonly BuiltBlock[]): Promise<SoakReport> {
    for (const block of chain.slice(0, START_BLOCKS - 105)) await this.#node.call('sendrawtransaction', this.#payments.split(block), 0);
    await this.#mine();
    const end = Date.now() + this.#options.seconds * 1000;
    this.#node.stream(
      (id, json) => this.#judge.offer(id, () => JSON.parse(json)),
      (error) => this.#over || this.#errors.push(`stream: ${error.message}`),
    );
    const work = [
      this.#pay(),
      this.#watch(),
      ...Array.from({ length: POLLERS }, () => this.#poller()),
      ...Array.from({ length: this.#options.polls }, (_, i) => this.#longPoll(i)),
    ];
    let finished = 0;
    for (const one of work) {
      one.then(
        () => finished++,
        (error: Error) => {
          finished++;
          this.#errors.push(error.message);
        },
      );
    }
    const { seconds, least } = this.#options;
    const enough = (): boolean =>
      least === undefined ||
      Date.now() > end + 2_000 * seconds ||
      (this.#blocks >= least.blocks && this.#payments.accepted >= least.accepted && this.#reorganisations > 0);
    while (Date.now() < end || !enough()) {
      // Blocks come when they come.
      await sleep(this.#options.blockSeconds * 1000 * (0.5 + this.#roll()));
      if (this.#roll() < 1 / 6) await this.#reorganise();
      else await this.#mine();
      await this.#everyoneTold();
    }
    this.#over = true;
    // A last block lets go of whoever still waits.
    await this.#mine();
    for (const deadline = Date.now() + PATIENCE_MS; finished < work.length && Date.now() < deadline; ) await sleep(50);
    if (finished < work.length) this.#errors.push(`${work.length - finished} calls were never answered`);
    await this.#judge.between(async () => {});
    const waitersAtEnd = figure(await scrape(this.#metrics), 'adit_longpoll_waiters');
    this.#node.end();
    this.#rival.end();
    const { accepted, refused, refusals } = this.#payments;
    const { judged, late, invalid, seen } = this.#judge;
    return {
      options: this.#options,
      blocks: this.#blocks,
      reorganisations: this.#reorganisations,
      accepted,
      refused,
      refusals,
      templates: seen,
      judged,
      late,
      invalid,
      pollsAnswered: this.#pollsAnswered,
      leftBehind: this.#leftBehind,
      errors: this.#errors,
      pollerMs: this.#pollerMs,
      lagMs: this.#lagMs.slice(SETTLED),
      bystanderMs: this.#bystanderMs.slice(SETTLED),
      residentMb: this.#residentMb,
      census: this.#census,
      waitersAtEnd,
    };
  }

  async #pay(): Promise<void> {
    const post = async (hexes: readonly string[]): Promise<readonly BatchReply[]> => {
      const calls = hexes.map((hex, id) => ({ id, method: 'sendrawtransaction', params: [hex, 0] }));
      return JSON.parse((await this.#node.post(calls)).bytes.toString());
    };
    while (!this.#over) {
      await this.#payments.send((this.#options.transactionsPerSecond * PAYING_MS) / 1000, post);
      await sleep(PAYING_MS);
    }
  }

  /** A template as it came; whoever is the first with an id has it judged. */
  async #template(longpollid: string | null): Promise<{ readonly id: string | null; readonly reply: RawReply }> {
    const request = { rules: ['segwit'], ...(longpollid === null ? {} : { longpollid }) };
    const reply = await this.#node.post({ id: 1, method: 'getblocktemplate', params: [request] });
    const id = idOf(reply);
    if (id === null) this.#errors.push(`HTTP ${reply.status}: ${reply.bytes.toString('latin1', 0, 200)}`);
    else this.#judge.offer(id, () => JSON.parse(reply.bytes.toString()).result);
    return { id, reply };
  }

  async #submit(blocks: readonly BuiltBlock[]): Promise<void> {
    await this.#judge.between(async () => {
      for (const block of blocks) {
        for (const client of [this.#node, this.#rival]) {
          const verdict = await client.call('submitblock', block.bytes.toString('hex'));
          if (verdict !== null && verdict !== 'inconclusive') this.#errors.push(`block ${block.height}: ${verdict}`);
        }
      }
    });
    this.#branch = [...this.#branch, ...blocks].slice(-DEEPEST - 1);
  }

  async #mine(): Promise<void> {
    const { reply } = await this.#template(null);
    await this.#submit([blockOf(JSON.parse(reply.bytes.toString()).result, this.#blocks++, true)]);
  }

  /** The last blocks are replaced by as many and one more, without transactions. */
  async #reorganise(): Promise<void> {
    const depth = 1 + Math.floor(this.#roll() * DEEPEST);
    const time = this.#branch.at(-1)!.time;
    this.#branch = this.#branch.slice(0, -depth);
    let parent = this.#branch.at(-1)!;
    const blocks = Array.from({ length: depth + 1 }, (_, i) => {
      parent = buildBlock(parent, { time: time + 1 + i, tag: -this.#blocks - 1 });
      return parent;
    });
    this.#blocks += blocks.length;
    this.#reorganisations++;
    await this.#submit(blocks);
  }

  async #everyoneTold(): Promise<void> {
    const tip = this.#branch.at(-1)!.hashHex;
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
      if (this.#told.every((told) => told === tip)) return;
    }
    this.#leftBehind++;
    this.#errors.push(`block ${this.#blocks}: ${this.#told.filter((told) => told !== tip).length} polls not told in ${PATIENCE_MS} ms`);
  }

  async #longPoll(i: number): Promise<void> {
    let id: string | null = null;
    while (!this.#over) {
      ({ id } = await this.#template(id));
      if (id === null) return;
      this.#told[i] = id.slice(0, 64);
      this.#pollsAnswered++;
    }
  }

  async #poller(): Promise<void> {
    while (!this.#over) {
      const started = performance.now();
      await this.#template(null);
      this.#pollerMs.push(performance.now() - started);
      if (this.#pollerMs.length > MOST_TIMES) this.#pollerMs.splice(0, MOST_TIMES / 2);
      await sleep(POLLER_MS);
    }
  }

  async #watch(): Promise<void> {
    const bystander = new Bystander();
    try {
      await this.#watchBeside(bystander);
    } finally {
      bystander.end();
    }
  }

  async #watchBeside(bystander: Bystander): Promise<void> {
    for (let next = Date.now(); !this.#over; await sleep(100)) {
      if (Date.now() < next) continue;
      next += SCRAPE_MS;
      const [text, late] = await Promise.all([scrape(this.#metrics), bystander.look()]);
      this.#bystanderMs.push(late);
      // The histogram behind the metric includes the time between two checks.
      this.#lagMs.push(figure(text, 'adit_nodejs_eventloop_lag_p99_seconds') * 1000 - LAG_STEP_MS);
      this.#residentMb.push(Math.round(figure(text, 'adit_process_resident_memory_bytes') / 1e6));
      for (const [part, { metric }] of Object.entries(MEMORY_PARTS)) this.#census[part as MemoryPart].push(figure(text, metric) / 1e6);
    }
  }
}

/** Runs it and takes everything down. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const metrics = await freePort();
  // A small cache of coins, so that what the chain itself adds is written out instead of held.
  const live = ['-templatemode=live', '-dbcache=4', '-checktemplates=0', '-longpolldelta=0.01', `-metricsport=${metrics}`];
  const node = await Daemon.start('-fronts=2', '-acceptnonstdtxn=1', ...live);
  const rival = await Daemon.start('-fronts=1', '-acceptnonstdtxn=1');
  try {
    const time = Math.floor(Date.now() / 1000) - 10_000;
    const chain = [buildBlock(GENESIS, { time })];
    while (chain.length < START_BLOCKS) chain.push(buildBlock(chain.at(-1)!, { time: time + chain.length }));
    for (const block of chain) {
      for (const daemon of [node, rival]) await daemon.call('submitblock', block.bytes.toString('hex'));
    }
    return await new Soak(options, new SoakClient(node), new SoakClient(rival), metrics, chain).run(chain);
  } finally {
    await node.remove();
    await rival.remove();
  }
}

// A long day of a node in mode `live`, in short: payments (chains, replacements, conflicts) without end, a block every few seconds,
// reorganisations, hundreds of long polls, four impatient pollers, metrics scraped; every template that a poller gets is proposed
// to a second node. Prints what it saw; ends with 1 when a template was refused, a poll was forgotten, memory grew or the loop was late.
//
//   node build/test/soak/soak-live.js        SOAK_SECONDS=1800 SOAK_POLLS=500 SOAK_BLOCK_SECONDS=4 SOAK_TPS=40
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANYONE, type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { Daemon, freePort } from '../framework/daemon.js';
import {
  compactSize,
  grind,
  type Header,
  merkleRoot,
  push,
  scriptNumber,
  serializeHeader,
  serializeTx,
  shown,
  type Tx,
  txid,
  unshown,
} from '../framework/messages.js';
import { dice } from '../framework/random-pools.js';
import { figure, scrape } from '../framework/scrape.js';

export interface SoakOptions {
  readonly seconds: number;
  readonly polls: number;
  readonly blockSeconds: number;
  readonly transactionsPerSecond: number;
}

export interface SoakReport {
  readonly blocks: number;
  readonly reorganisations: number;
  readonly accepted: number;
  readonly refused: number;
  /** Words of the refusals. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly templates: number;
  readonly proposed: number;
  /** Verdicts other than valid. */
  readonly invalid: readonly string[];
  readonly pollsAnswered: number;
  /** Blocks after which some poll had not moved on in time. */
  readonly leftBehind: number;
  readonly errors: readonly string[];
  readonly pollerMs: { readonly p50: number; readonly p99: number };
  readonly lagP99Ms: number;
  /** Resident megabytes of the node, one every ten seconds. */
  readonly residentMb: readonly number[];
  /** Parked polls right after the end. */
  readonly waitersAtEnd: number;
}

interface Coin {
  readonly txid: Buffer;
  readonly index: number;
  readonly value: number;
}

// biome-ignore lint/suspicious/noExplicitAny: a template has many members
type Template = any;

const POLLERS = 4;
const POLLER_MS = 100;
const START_BLOCKS = 130;
const SPLIT = 100;
const PATIENCE_MS = 30_000;
const RBF = 0xfffffffd;
const GENTLE_FEE = 300;
/** Makes the smallest payments large enough to be relayed. */
const NOTE = { value: 0, script: Buffer.concat([Buffer.from([0x6a]), push(Buffer.alloc(40, 7))]) };
const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;

/** The block of a template; solved when it is to be submitted. */
function blockOf(template: Template, tag: number, solve: boolean): BuiltBlock {
  const mark = Buffer.alloc(8);
  mark.writeDoubleLE(tag);
  const coinbase: Tx = {
    version: 2,
    ins: [
      {
        txid: Buffer.alloc(32),
        index: 0xffffffff,
        script: Buffer.concat([scriptNumber(template.height), push(mark)]),
        sequence: 0xffffffff,
        witness: [Buffer.alloc(32)],
      },
    ],
    outs: [
      { value: template.coinbasevalue, script: ANYONE },
      { value: 0, script: Buffer.from(template.default_witness_commitment, 'hex') },
    ],
    locktime: 0,
  };
  const ids = [txid(coinbase), ...template.transactions.map((tx: { txid: string }) => unshown(tx.txid))];
  const header: Header = {
    version: template.version,
    prev: unshown(template.previousblockhash),
    merkleRoot: merkleRoot(ids),
    time: template.curtime,
    bits: Number.parseInt(template.bits, 16),
    nonce: 0,
  };
  const hash = solve ? grind(header) : Buffer.alloc(32);
  const data = template.transactions.map((tx: { data: string }) => Buffer.from(tx.data, 'hex'));
  const head = serializeHeader(header);
  const bytes = Buffer.concat([head, compactSize(ids.length), serializeTx(coinbase), ...data]);
  return {
    hash,
    hashHex: shown(hash),
    prev: null,
    height: template.height,
    time: header.time,
    header: head,
    bytes,
    txs: [coinbase],
    txids: ids,
  };
}

class Soak {
  readonly #options: SoakOptions;
  readonly #node: Daemon;
  readonly #judge: Daemon;
  readonly #metrics: number;
  readonly #roll = dice(20_001);
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  /** For rare calls: a socket that was quiet for ten seconds is closed by the node, perhaps just when it is used again. */
  readonly #fresh = new http.Agent({ keepAlive: false });
  readonly #coins: Coin[] = [];
  readonly #unconfirmed: { readonly coin: Coin; readonly fee: number }[] = [];
  readonly #errors: string[] = [];
  readonly #invalid: string[] = [];
  readonly #seen = new Set<string>();
  readonly #pollerMs: number[] = [];
  readonly #resident: number[] = [];
  /** Tip that each poll was told last. */
  readonly #told: string[];
  #lag = 0;
  #tip: BuiltBlock;
  #parent: BuiltBlock;
  #over = false;
  #blocks = 0;
  #reorganisations = 0;
  #accepted = 0;
  #refused = 0;
  readonly #refusals: Record<string, number> = {};
  #proposed = 0;
  #pollsAnswered = 0;
  #leftBehind = 0;

  constructor(options: SoakOptions, node: Daemon, judge: Daemon, metrics: number, chain: readonly BuiltBlock[]) {
    this.#options = options;
    this.#node = node;
    this.#judge = judge;
    this.#metrics = metrics;
    this.#tip = chain.at(-1)!;
    this.#parent = chain.at(-2)!;
    this.#told = new Array<string>(options.polls).fill('');
  }

  async run(chain: readonly BuiltBlock[]): Promise<SoakReport> {
    await this.#split(chain);
    const end = Date.now() + this.#options.seconds * 1000;
    const work = [
      this.#pay(),
      this.#watch(),
      ...Array.from({ length: POLLERS }, (_, i) => this.#poller(i)),
      ...Array.from({ length: this.#options.polls }, (_, i) => this.#longPoll(i)),
    ];
    while (Date.now() < end) {
      await sleep(this.#options.blockSeconds * 1000);
      if (this.#blocks % 6 === 5) await this.#reorganise();
      else await this.#mine();
      await this.#everyoneTold();
    }
    this.#over = true;
    // A last block lets go of whoever still waits.
    await this.#mine();
    await Promise.all(work);
    const waitersAtEnd = figure(await scrape(this.#metrics), 'adit_longpoll_waiters');
    this.#agent.destroy();
    const sorted = [...this.#pollerMs].sort((a, b) => a - b);
    return {
      blocks: this.#blocks,
      reorganisations: this.#reorganisations,
      accepted: this.#accepted,
      refused: this.#refused,
      refusals: this.#refusals,
      templates: this.#seen.size,
      proposed: this.#proposed,
      invalid: this.#invalid,
      pollsAnswered: this.#pollsAnswered,
      leftBehind: this.#leftBehind,
      errors: this.#errors,
      pollerMs: { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) },
      lagP99Ms: this.#lag,
      residentMb: this.#resident,
      waitersAtEnd,
    };
  }

  /** Makes many coins of a few. */
  async #split(chain: readonly BuiltBlock[]): Promise<void> {
    for (const block of chain.slice(0, START_BLOCKS - 105)) {
      const from = reward(block);
      const value = Math.floor(from.value / SPLIT) - 1000;
      const tx = spend([from], new Array(SPLIT).fill({ value, script: ANYONE }));
      await this.#node.call('sendrawtransaction', serializeTx(tx).toString('hex'), 0);
      const id = txid(tx);
      for (let index = 0; index < SPLIT; index++) this.#coins.push({ txid: id, index, value });
    }
    await this.#mine();
  }

  #payment(coin: Coin, fee: number): Tx {
    const half = Math.floor((coin.value - fee) / 2);
    const outs = [{ value: half, script: ANYONE }, { value: coin.value - fee - half, script: ANYONE }, NOTE];
    return spend([coin], outs, { sequence: RBF });
  }

  /** Payments as they come: most alone, many in chains, some replaced, some in conflict with others and refused. */
  async #pay(): Promise<void> {
    const pauseMs = 250;
    while (!this.#over) {
      const batch: string[] = [];
      for (let i = 0; i < (this.#options.transactionsPerSecond * pauseMs) / 1000; i++) {
        const fee = GENTLE_FEE + Math.floor(this.#roll() ** 3 * 20_000);
        const kind = this.#roll();
        const earlier = this.#unconfirmed[Math.floor(this.#roll() * this.#unconfirmed.length)];
        let tx: Tx;
        if (earlier !== undefined && kind < 0.15) tx = this.#payment(earlier.coin, earlier.fee + 3000);
        else if (earlier !== undefined && kind < 0.2) tx = this.#payment(earlier.coin, Math.floor(earlier.fee / 2));
        else {
          const at = this.#roll() < 0.4 ? this.#coins.length - 1 : Math.floor(this.#roll() * this.#coins.length);
          const [coin] = this.#coins.splice(at, 1) as [Coin?];
          if (coin === undefined || coin.value < 50_000) continue;
          tx = this.#payment(coin, fee);
          this.#unconfirmed.push({ coin, fee });
          if (this.#unconfirmed.length > 500) this.#unconfirmed.shift();
        }
        batch.push(serializeTx(tx).toString('hex'));
        const id = txid(tx);
        for (const [index, { value }] of tx.outs.entries()) this.#coins.push({ txid: id, index, value });
      }
      const reply = await this.#post(batch.map((hex, id) => ({ id, method: 'sendrawtransaction', params: [hex, 0] })));
      for (const { error } of JSON.parse(reply)) {
        if (error === null) this.#accepted++;
        else {
          this.#refused++;
          const words = String(error.message).replace(/,.*| [0-9a-f]{64}.*/, '');
          this.#refusals[words] = (this.#refusals[words] ?? 0) + 1;
        }
      }
      // Coins of what was refused or replaced lead nowhere; the list is kept from growing.
      if (this.#coins.length > 20_000) this.#coins.splice(0, 5000);
      await sleep(pauseMs);
    }
  }

  async #post(body: unknown): Promise<string> {
    const json = JSON.stringify(body);
    const { status, body: text } = await this.#node.post(json, { agent: this.#agent }).catch((error: NodeJS.ErrnoException) => {
      // A pooled socket may have been quiet for as long; asking twice for the same does no harm here.
      if (error.code !== 'ECONNRESET') throw error;
      return this.#node.post(json, { agent: this.#fresh });
    });
    if (status !== 200) this.#errors.push(`HTTP ${status}: ${text.slice(0, 200)}`);
    return text;
  }

  async #call(daemon: Daemon, method: string, argument: unknown): Promise<string | null> {
    const { body } = await daemon.post(JSON.stringify({ id: 1, method, params: [argument] }), { agent: this.#fresh });
    const { result, error } = JSON.parse(body);
    if (error !== null) this.#errors.push(`${method}: ${error.message}`);
    return result;
  }

  #template(longpollid: string | null): Promise<string> {
    const request = { rules: ['segwit'], ...(longpollid === null ? {} : { longpollid }) };
    return this.#post({ id: 1, method: 'getblocktemplate', params: [request] });
  }

  async #submit(block: BuiltBlock): Promise<void> {
    for (const daemon of [this.#judge, this.#node]) {
      const verdict = await this.#call(daemon, 'submitblock', block.bytes.toString('hex'));
      if (verdict !== null && verdict !== 'inconclusive') this.#invalid.push(`block ${block.height}: ${verdict}`);
    }
  }

  async #mine(): Promise<void> {
    const template = JSON.parse(await this.#template(null)).result;
    const block = blockOf(template, this.#blocks, true);
    await this.#submit(block);
    this.#blocks++;
    this.#parent = this.#tip;
    this.#tip = block;
  }

  /** Two blocks beside the tip. */
  async #reorganise(): Promise<void> {
    const first = buildBlock(this.#parent, { time: this.#tip.time + 1, tag: -this.#blocks - 1 });
    const second = buildBlock(first, { time: this.#tip.time + 2, tag: -this.#blocks - 2 });
    await this.#submit(first);
    await this.#submit(second);
    this.#blocks++;
    this.#reorganisations++;
    this.#parent = first;
    this.#tip = second;
  }

  async #everyoneTold(): Promise<void> {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
      if (this.#told.every((tip) => tip === this.#tip.hashHex)) return;
    }
    this.#leftBehind++;
    const missing = this.#told.filter((tip) => tip !== this.#tip.hashHex).length;
    this.#errors.push(`block ${this.#tip.height}: ${missing} polls not told within ${PATIENCE_MS} ms`);
  }

  async #longPoll(i: number): Promise<void> {
    let id: string | null = null;
    while (!this.#over) {
      const text = await this.#template(id);
      // Bodies are large and many: only what is needed is looked for.
      id = /"longpollid":"([0-9a-f]{64}\d+)"/.exec(text.slice(text.lastIndexOf('"longpollid"')))?.[1] ?? null;
      if (id === null) {
        this.#errors.push(`poll ${i}: ${text.slice(0, 200)}`);
        return;
      }
      this.#told[i] = id.slice(0, 64);
      this.#pollsAnswered++;
    }
  }

  async #poller(i: number): Promise<void> {
    while (!this.#over) {
      const started = performance.now();
      const text = await this.#template(null);
      this.#pollerMs.push(performance.now() - started);
      if (this.#pollerMs.length > 200_000) this.#pollerMs.splice(0, 100_000);
      const at = text.lastIndexOf('"longpollid":"');
      const id = text.slice(at + 14, text.indexOf('"', at + 14));
      if (i === 0 && !this.#seen.has(id)) {
        this.#seen.add(id);
        await this.#propose(JSON.parse(text).result);
      }
      await sleep(POLLER_MS);
    }
  }

  async #propose(template: Template): Promise<void> {
    const data = blockOf(template, 0, false).bytes.toString('hex');
    const verdict = await this.#call(this.#judge, 'getblocktemplate', { mode: 'proposal', data });
    if (verdict === 'inconclusive-not-best-prevblk') return;
    this.#proposed++;
    if (verdict !== null) this.#invalid.push(`template ${template.longpollid}: ${verdict}`);
  }

  async #watch(): Promise<void> {
    for (let second = 0; !this.#over; second++) {
      const text = await scrape(this.#metrics);
      // The first seconds are the start's.
      if (second > 10) this.#lag = Math.max(this.#lag, figure(text, 'nodejs_eventloop_lag_p99_seconds') * 1000 || 0);
      if (second % 10 === 0) this.#resident.push(Math.round(figure(text, 'process_resident_memory_bytes') / 1e6));
      await sleep(1000);
    }
  }
}

/** Runs it and takes everything down. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const metrics = await freePort();
  const node = await Daemon.start(
    '-templatemode=live',
    '-fronts=2',
    '-acceptnonstdtxn=1',
    `-metricsport=${metrics}`,
    '-longpolldelta=0.001',
  );
  const judge = await Daemon.start('-fronts=1', '-acceptnonstdtxn=1');
  try {
    const time = Math.floor(Date.now() / 1000) - 10_000;
    const chain = [buildBlock(GENESIS, { time })];
    while (chain.length < START_BLOCKS) chain.push(buildBlock(chain.at(-1)!, { time: time + chain.length }));
    for (const block of chain) {
      for (const daemon of [node, judge]) await daemon.call('submitblock', block.bytes.toString('hex'));
    }
    return await new Soak(options, node, judge, metrics, chain).run(chain);
  } finally {
    await node.remove();
    await judge.remove();
  }
}

/** What a report finds fault with. @param timed also figures of time and memory, which a busy machine can't promise */
export function faultsOf(report: SoakReport, timed: boolean): string[] {
  const faults = [...report.invalid, ...report.errors];
  if (report.waitersAtEnd !== 0) faults.push(`${report.waitersAtEnd} polls still parked`);
  if (!timed) return faults;
  if (report.lagP99Ms >= 20) faults.push(`event-loop lag p99 ${report.lagP99Ms.toFixed(1)} ms`);
  // After five minutes nothing grows any more.
  const settled = report.residentMb.slice(30);
  const half = Math.floor(settled.length / 2);
  if (half >= 6) {
    const before = Math.max(...settled.slice(0, half));
    const after = Math.max(...settled.slice(half));
    if (after > before * 1.1) faults.push(`memory grew from ${before} to ${after} MB`);
  }
  return faults;
}

if (process.argv[1]?.endsWith('soak-live.js')) {
  const { env } = process;
  const report = await runSoak({
    seconds: Number(env.SOAK_SECONDS ?? 1800),
    polls: Number(env.SOAK_POLLS ?? 500),
    blockSeconds: Number(env.SOAK_BLOCK_SECONDS ?? 4),
    transactionsPerSecond: Number(env.SOAK_TPS ?? 40),
  });
  const { residentMb, ...rest } = report;
  console.log(JSON.stringify({ ...rest, residentMb: residentMb.join(' ') }, null, 2));
  const faults = faultsOf(report, true);
  for (const fault of faults) console.log(`FAULT ${fault}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

// Measures what honest users of the attacked node notice: pollers of templates, blocks and transactions on their way
// between the node and its honest peer, small calls, and the delay of the node thread.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Daemon } from '../framework/daemon.js';
import { testKey } from '../framework/keys.js';
import { serializeTx, TRUE_SCRIPT, TRUE_WITNESS } from '../framework/messages.js';
import { type Mined, mine, type Template } from '../framework/miner.js';
import { figure, scrape } from '../framework/scrape.js';
import { PATIENCE_MS } from '../framework/until.js';
import { SoakClient } from '../soak/soak-client.js';
import type { CoinFacts } from './facts.js';

/** Samples of one kind, all in milliseconds. */
export type Series = number[];

/** Observations of one phase. */
export interface Seen {
  /** getblocktemplate, one reply. */
  readonly templates: Series;
  /** From submitblock to the first template on top of that block. */
  readonly freshTemplate: Series;
  /** A call the node thread answers. */
  readonly calls: Series;
  /** Lag of the node thread: p99 and most of each second. */
  readonly lagP99: Series;
  readonly lagMost: Series;
  /** From one node to the other. */
  readonly blocksOut: Series;
  readonly blocksIn: Series;
  readonly txsOut: Series;
  readonly txsIn: Series;
  /** Resident bytes of the node, once a second. */
  readonly rss: Series;
}

export function nothingSeen(): Seen {
  return {
    templates: [],
    freshTemplate: [],
    calls: [],
    lagP99: [],
    lagMost: [],
    blocksOut: [],
    blocksIn: [],
    txsOut: [],
    txsIn: [],
    rss: [],
  };
}

const POLL_MS = 50;
const LOOK_MS = 25;

export interface Sides {
  readonly victim: Daemon;
  readonly honest: Daemon;
  readonly metricsPort: number;
  /** Coins nobody else spends. */
  readonly coins: CoinFacts[];
  readonly blockMs: number;
  readonly txMs: number;
  /** Called with a header shortly before its block is published. */
  readonly coming: (headerHex: string) => void;
  readonly onBlock: (mined: Mined) => Promise<void>;
}

export class HonestUsers {
  seen = nothingSeen();
  readonly faults: string[] = [];
  blocks = 0;
  transactions = 0;
  #stopped = false;
  readonly #key = testKey(4_242);
  readonly #work: Promise<void>[] = [];
  readonly #victim: SoakClient;
  readonly #parsed: SoakClient;

  constructor(private readonly sides: Sides) {
    this.#victim = new SoakClient(sides.victim);
    this.#parsed = new SoakClient(sides.victim);
  }

  start(): void {
    const loop = (what: string, everyMs: number, once: () => Promise<void>): void => {
      const run = async (): Promise<void> => {
        while (!this.#stopped) {
          await once().catch((error: Error) => this.faults.push(`${what}: ${error.message}`));
          await sleep(everyMs);
        }
      };
      this.#work.push(run());
    };
    loop('getblocktemplate', POLL_MS, () => this.#poll());
    loop('getnettotals', 100, () => this.#call());
    loop('metrics', 1_000, () => this.#figures());
    loop('blocks', this.sides.blockMs, () => this.#block());
    loop('transactions', this.sides.txMs, () => this.#transaction());
  }

  /** Begins a new phase. @returns what was seen in the one that ends */
  turn(): Seen {
    const { seen } = this;
    this.seen = nothingSeen();
    return seen;
  }

  /** Ends when everything under way has arrived. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#work);
    this.#victim.end();
    this.#parsed.end();
  }

  async #poll(): Promise<void> {
    const began = performance.now();
    const { status } = await this.#victim.post({ id: 1, method: 'getblocktemplate', params: [{ rules: ['segwit'] }] });
    if (status !== 200) throw new Error(`HTTP ${status}`);
    this.seen.templates.push(performance.now() - began);
  }

  async #call(): Promise<void> {
    const began = performance.now();
    await this.#victim.post({ id: 1, method: 'getnettotals', params: [] });
    this.seen.calls.push(performance.now() - began);
  }

  async #figures(): Promise<void> {
    const text = await scrape(this.sides.metricsPort);
    this.seen.lagP99.push(figure(text, 'adit_nodejs_eventloop_lag_p99_seconds') * 1_000);
    this.seen.lagMost.push(figure(text, 'adit_nodejs_eventloop_lag_max_seconds') * 1_000);
    this.seen.rss.push(figure(text, 'adit_process_resident_memory_bytes'));
  }

  /** A block found at the node, then one found at its peer. */
  async #block(): Promise<void> {
    const { victim, honest, coming, onBlock } = this.sides;
    const out = this.blocks % 2 === 0;
    const [finder, other] = out ? [victim, honest] : [honest, victim];
    const template = (await finder.call('getblocktemplate', { rules: ['segwit'] })) as Template;
    const mined = mine(template, 'p2wpkh', this.#key);
    coming(mined.hex.slice(0, 160));
    await sleep(50);
    const { seen } = this;
    const began = performance.now();
    const verdict = (await finder.call('submitblock', mined.hex)) as string | null;
    // Somebody was faster, which an attacker may be: the next one then.
    if (verdict !== null && verdict !== 'inconclusive') throw new Error(`submitblock: ${verdict}`);
    const fresh = out ? this.#fresh(mined.hashHex, began, seen) : Promise.resolve();
    const arrived = await within(async () => (await other.call('getbestblockhash')) === mined.hashHex);
    if (!arrived) throw new Error(`block ${mined.height} did not arrive at the ${out ? 'honest peer' : 'node'}`);
    (out ? seen.blocksOut : seen.blocksIn).push(performance.now() - began);
    await fresh;
    this.blocks++;
    await onBlock(mined);
  }

  async #fresh(hashHex: string, began: number, seen: Seen): Promise<void> {
    const there = await within(async () => {
      const template = (await this.#parsed.call('getblocktemplate', { rules: ['segwit'] })) as Template;
      return template.previousblockhash === hashHex;
    });
    if (there) seen.freshTemplate.push(performance.now() - began);
    else throw new Error('no template on a new block');
  }

  /** A transaction entered at the node, then one entered at its peer. */
  async #transaction(): Promise<void> {
    const { victim, honest, coins } = this.sides;
    const coin = coins.pop();
    if (coin === undefined) return;
    const out = this.transactions++ % 2 === 0;
    const [here, there] = out ? [victim, honest] : [honest, victim];
    const hex = serializeTx({
      version: 2,
      ins: [{ txid: Buffer.from(coin.txid, 'hex'), index: coin.index, witness: TRUE_WITNESS }],
      outs: [{ value: coin.value - 20_000, script: TRUE_SCRIPT }],
      locktime: 0,
    }).toString('hex');
    const { seen } = this;
    const began = performance.now();
    const txid = (await here.call('sendrawtransaction', hex)) as string;
    // Confirmed meanwhile is arrived, too: then it is not in the pool any more.
    const confirmed = async (): Promise<boolean> => (await there.call('gettxout', txid, 0)) !== null;
    const arrived = await within(async () => (await there.call('getmempoolentry', txid).catch(() => null)) !== null || confirmed(), 100);
    if (!arrived) throw new Error(`transaction ${txid} did not arrive at the ${out ? 'honest peer' : 'node'}`);
    (out ? seen.txsOut : seen.txsIn).push(performance.now() - began);
  }
}

async function within(check: () => Promise<boolean>, lookMs = LOOK_MS): Promise<boolean> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(lookMs)) if (await check()) return true;
  return false;
}

// Decides on the node thread which templates miners get and when. A serving thread sends them.
//
//   new tip          at once: the tip, with the template that was staged for it, or with a fresh one without
//                    transactions; then the full template; then the template staged for the next height
//   fees rose        by `feeDelta` over the last template, and `intervalMs` have passed since that template: a full
//                    template; after `refreshMs` a smaller rise is enough
//   new constraints  the last full template if it leaves the new reserve free, otherwise a template of their own
//
// One build runs at a time. Events during a build are handled after it.
import { MAX_BLOCK_SIGOPS_COST } from '../consensus/limits.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Hashes } from '../crypto/crypto.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';
import { type ChosenTransactions, nothingChosen, type TemplateChoice, type TemplateTip, type TipFacts } from '../template/index.js';
import { type BlockFacts, describeTemplate, describeTip, nextFacts, sameFacts } from './describe.js';
import { type Reserve, reserveKey, type ServedTemplate, type WorkNews } from './messages.js';

/** Milliseconds until the next attempt after a failed build. */
const RETRY_MS = 1_000;
/**
 * Milliseconds until the next attempt while the chain is ahead of the clients: more blocks follow, or transactions are
 * returning to the mempool.
 */
const TIP_RETRY_MS = 50;

export interface ProviderOptions {
  /** Protocol of the clients, for the log: `Stratum V2`. */
  readonly name: string;
  /** Shortest time between two templates of a tip (-sv2interval). */
  readonly intervalMs: number;
  /** Satoshis by which fees must rise for another template of the tip (-sv2feedelta). */
  readonly feeDelta: number;
  /** Time after which any rise of fees is enough; absent: never. */
  readonly refreshMs?: number;
  /** -blockmaxweight. */
  readonly maxWeight: number;
  /** Reserve that every template leaves free. */
  readonly leastReserve: Reserve;
}

/** Maker of templates, implemented by src/template/service.ts. */
export interface TemplateMaker {
  readonly tip: { readonly tip: TemplateTip; readonly facts: TipFacts };
  choose(reserve: Reserve): Promise<TemplateChoice | null>;
}

export interface ProviderDeps {
  readonly templates: TemplateMaker;
  readonly params: ChainParams;
  readonly hashes: Hashes;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns false during the initial block download, in which clients get no templates. */
  readonly wanted: () => boolean;
  readonly post: (message: WorkNews) => void;
  /** Calls `run` once after this many milliseconds. The returned function cancels the call. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** Template that was made for the tip and the smallest reserve. */
interface Standard {
  readonly serial: number;
  readonly chosen: ChosenTransactions;
}

/** Tip that clients received. */
interface AnnouncedTip {
  readonly tip: TemplateTip;
  readonly facts: TipFacts;
  /** Serial of the template that SetNewPrevHash named. */
  readonly active: number;
}

export class Provider {
  readonly #options: ProviderOptions;
  readonly #deps: ProviderDeps;
  #serial = 0;
  /** Tip that was last posted to the clients; null before the first one and since `hold`. */
  #announced: AnnouncedTip | null = null;
  #staged: { readonly on: TemplateTip; readonly facts: BlockFacts; readonly serial: number } | null = null;
  #standard: Standard | null = null;
  #needs: readonly Reserve[] = [];
  /**
   * Keys of reserves that have a template of the tip. A key stays when its last client leaves, so that clients that
   * reconnect cause no build.
   */
  readonly #served = new Set<string>();
  /** Modified fees of the transactions that entered the mempool since the last build, satoshis. */
  #gain = 0;
  #builtMs = Number.NEGATIVE_INFINITY;
  #feesDue = false;
  #running = false;
  #closed = false;
  #cancelFees: (() => void) | null = null;
  /** Time at which the timer of #cancelFees fires, on the monotonic clock. */
  #feesAtMs = 0;
  #cancelEasy: (() => void) | null = null;
  #cancelRetry: (() => void) | null = null;

  constructor(options: ProviderOptions, deps: ProviderDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Called when a transaction entered the mempool. @param feeSats modified fee */
  onEntered(feeSats: number): void {
    this.#gained(Math.max(0, feeSats));
  }

  /**
   * Called when the tip has changed, or when clients may get templates from now on. Never throws.
   * @param acceptedMs time at which the node accepted the block, milliseconds since 1970; null if no block came
   */
  onTip(acceptedMs: number | null): void {
    if (this.#closed) return;
    if (!this.#deps.wanted()) {
      if (this.#announced !== null) this.#deps.post({ kind: 'hold' });
      this.#reset();
      this.#announced = null;
      return;
    }
    try {
      this.#announceTip(acceptedMs);
    } catch (error) {
      this.#deps.log.error(`${this.#options.name}: ${(error as Error).message}`);
    }
    queueMicrotask(() => this.#runIfDue());
  }

  /** Sets the reserves that the present clients need. */
  setNeeds(reserves: readonly Reserve[]): void {
    this.#needs = reserves;
    if (this.#announced === null) this.onTip(null);
    this.#runIfDue();
  }

  /** Called when a new serving thread has started, which has no templates and no clients yet. */
  onNewThread(): void {
    this.#reset();
    this.#announced = null;
    this.#needs = [];
    this.onTip(null);
  }

  close(): void {
    this.#closed = true;
    this.#reset();
  }

  #reset(): void {
    this.#staged = null;
    this.#standard = null;
    this.#served.clear();
    this.#gain = 0;
    this.#feesDue = false;
    this.#cancelFees?.();
    this.#cancelFees = null;
    this.#cancelEasy?.();
    this.#cancelEasy = null;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }

  /** Posts the tip, for which all clients get SetNewPrevHash. */
  #announceTip(acceptedMs: number | null): void {
    const { templates, params, clock, post, after } = this.#deps;
    const { tip, facts } = templates.tip;
    const staged = this.#staged;
    this.#reset();
    // The staged template fits only if the tip's parent is the block on which it was staged, and its facts are as predicted.
    const held = staged !== null && staged.on === tip.prev && sameFacts(staged.facts, facts) ? staged : null;
    const template = held === null ? this.#empty(facts) : null;
    const active = held?.serial ?? (template as ServedTemplate).serial;
    this.#announced = { tip, facts, active };
    post({ kind: 'tip', tip: describeTip(tip, facts, params, clock.nowSeconds(), acceptedMs), activate: active, template });
    const waitSeconds = (facts.minDifficulty?.afterTime ?? 0) + 1 - clock.nowSeconds();
    // Testnet allows the minimum difficulty after 20 minutes. The target changes then, so clients need another SetNewPrevHash.
    if (facts.minDifficulty !== null && waitSeconds > 0) this.#cancelEasy = after(waitSeconds * 1000, () => this.onTip(null));
  }

  #empty(facts: BlockFacts): ServedTemplate {
    return describeTemplate(++this.#serial, 'empty', facts, nothingChosen(this.#options.leastReserve.weight), this.#deps.hashes);
  }

  #gained(fee: number): void {
    if (this.#standard === null) return;
    this.#gain += fee;
    if (this.#gain === 0 || this.#feesDue) return;
    const { feeDelta, intervalMs, refreshMs = Number.POSITIVE_INFINITY } = this.#options;
    const atMs = this.#builtMs + (this.#gain >= feeDelta ? intervalMs : refreshMs);
    if (atMs === Number.POSITIVE_INFINITY || (this.#cancelFees !== null && atMs >= this.#feesAtMs)) return;
    this.#cancelFees?.();
    this.#feesAtMs = atMs;
    this.#cancelFees = this.#deps.after(Math.max(0, atMs - this.#deps.clock.monotonicMs()), () => {
      this.#cancelFees = null;
      this.#feesDue = true;
      this.#runIfDue();
    });
  }

  get #due(): boolean {
    if (this.#closed || this.#announced === null || this.#needs.length === 0) return false;
    return this.#standard === null || this.#feesDue || this.#needs.some((need) => !this.#served.has(reserveKey(need)));
  }

  #runIfDue(): void {
    if (this.#running || this.#cancelRetry !== null || !this.#due) return;
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
      this.#runIfDue();
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#due) {
        const told = this.#announced as AnnouncedTip;
        // Retry later: another attempt in the same event-loop tick would keep the chain from getting a tick of its own.
        if (!(await this.#runRound(told)) && this.#announced === told) return this.#retryLater(TIP_RETRY_MS);
      }
    } catch (error) {
      if (this.#closed) return;
      this.#deps.log.error(`No template for ${this.#options.name} clients: ${(error as Error).message}`);
      this.#retryLater(RETRY_MS);
    }
  }

  /** Schedules another attempt. A new tip cancels the timer and starts an attempt itself. */
  #retryLater(ms: number): void {
    this.#cancelRetry = this.#deps.after(ms, () => {
      this.#cancelRetry = null;
      this.#runIfDue();
    });
  }

  /**
   * Builds what is due: the standard template, then templates for larger reserves, then the template to stage for the
   * next height.
   * @returns false if the chain has another tip than `told`, or if clients received another tip during the round
   */
  async #runRound(told: AnnouncedTip): Promise<boolean> {
    if (this.#standard === null || this.#feesDue) {
      this.#gain = 0;
      const chosen = await this.#choose(told.tip, this.#options.leastReserve);
      if (chosen === null || this.#announced !== told) return false;
      this.#feesDue = false;
      this.#builtMs = this.#deps.clock.monotonicMs();
      const last = this.#standard as Standard | null;
      const { feeDelta, refreshMs } = this.#options;
      const richer = last === null || chosen.fees >= last.chosen.fees + (refreshMs === undefined ? feeDelta : 1);
      if (richer) {
        this.#standard = this.#publish(told, chosen);
        this.#served.clear();
      }
    }
    const standard = this.#standard;
    if (standard === null) return false;
    const missing = this.#needs.filter((need) => !this.#served.has(reserveKey(need)));
    const fitting = missing.filter((need) => this.#fits(standard.chosen, need));
    if (fitting.length > 0) this.#share(standard.serial, fitting);
    for (const need of missing) {
      if (fitting.includes(need)) continue;
      const chosen = await this.#choose(told.tip, need);
      if (chosen === null || this.#announced !== told) return false;
      this.#share(this.#publish(told, chosen).serial, [need]);
    }
    if (this.#staged !== null) return true;
    const facts = nextFacts(told.facts, this.#deps.params);
    const template = this.#empty(facts);
    this.#staged = { on: told.tip, facts, serial: template.serial };
    this.#deps.post({ kind: 'stage', template });
    return true;
  }

  async #choose(tip: TemplateTip, reserve: Reserve): Promise<ChosenTransactions | null> {
    const choice = await this.#deps.templates.choose(reserve);
    return choice?.tip === tip ? choice.chosen : null;
  }

  /**
   * Posts a selection of transactions as a template. A selection without transactions is not posted: it equals the empty
   * template that SetNewPrevHash named.
   */
  #publish({ facts, active }: AnnouncedTip, chosen: ChosenTransactions): Standard {
    if (chosen.records.length === 0) return { serial: active, chosen };
    const template = describeTemplate(++this.#serial, 'full', facts, chosen, this.#deps.hashes);
    this.#deps.post({ kind: 'template', template, keys: [] });
    return { serial: template.serial, chosen };
  }

  #share(serial: number, needs: readonly Reserve[]): void {
    const keys = needs.map(reserveKey);
    for (const key of keys) this.#served.add(key);
    this.#deps.post({ kind: 'share', serial, keys });
  }

  /** Returns true if a selection made with the smallest reserve also leaves the needed reserve free. */
  #fits({ weight, sigops }: ChosenTransactions, need: Reserve): boolean {
    const { leastReserve, maxWeight } = this.#options;
    return weight - leastReserve.weight + need.weight <= maxWeight && sigops - leastReserve.sigops + need.sigops <= MAX_BLOCK_SIGOPS_COST;
  }
}

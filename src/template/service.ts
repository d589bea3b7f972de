// The current template, shared by all clients. Mode core: built on request and kept for as long as Core 0.21 would keep
// it; mode live: built ahead as live-schedule.ts says. A template is published only if the tip it builds on is still
// the tip. Templates for single clients and for Stratum V2 are made beside it (client-templates.ts).

import { toHex } from '../consensus/bytes/hex.js';
import { MAX_BLOCK_SIGOPS_COST } from '../consensus/limits.js';
import type { VersionBitsCache } from '../consensus/rules/versionbits.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import type { Clock } from '../lib/clock.js';
import { ListenerGuard } from '../lib/listener-guard.js';
import { Listeners } from '../lib/listeners.js';
import type { Logger } from '../log/logger.js';
import type { Assembler } from '../parallel/assembler.js';
import type { TemplateLimits } from '../policy/template-limits.js';
import { Assembly, type ChosenTransactions, nothingChosen } from './assembly.js';
import { TemplateAudit } from './audit.js';
import type { BlockCandidate } from './block-candidate.js';
import type { ChosenRecords } from './chosen-records.js';
import { ClientTemplates, type TemplateChoice } from './client-templates.js';
import { witnessRootOf } from './coinbase.js';
import type { LiveFacts, TemplateFacts } from './facts.js';
import type { LimitedTemplate } from './limited-templates.js';
import { LiveSchedule, type LiveWork } from './live-schedule.js';
import { DEFAULT_TEMPLATE, type TemplateOptions } from './options.js';
import { PinnedTemplates } from './pinned-templates.js';
import { isAheadOfClock } from './render-template.js';
import type { TemplateChain, TemplateSlab, TemplateSlabs, TemplateTip, TransactionSource } from './source.js';
import { type DryChoice, TemplateContext, TemplateFault } from './template-context.js';
import type { TipFacts } from './tip-facts.js';
import { type TemplateVerdict, templateVerdict, type VerdictTemplate } from './verdict.js';

export interface TemplateDeps {
  readonly chain: TemplateChain;
  readonly mempool: TransactionSource;
  readonly assembler: Assembler;
  readonly slabs: TemplateSlabs;
  readonly clock: Clock;
  readonly hashes: Hashes;
  readonly versionBits: VersionBitsCache;
  readonly log: Logger;
  /** Guard that runs the listeners. The service creates its own if absent. */
  readonly guard?: ListenerGuard;
  /** Number of the tip, as fronts see it; changes with every tip. */
  readonly epoch: () => number;
  /** Mode live: false while clients cannot ask for templates (initial download). */
  readonly wanted?: () => boolean;
  /** Timers of mode live; tests move them by hand. */
  readonly after?: (ms: number, run: () => void) => () => void;
  readonly observe?: (name: 'template_build' | 'template_select' | 'template_encode' | 'tip_to_template', seconds: number) => void;
}

/** What the last assembly of any kind chose, for getmininginfo. */
export interface LastAssembly {
  /** With the reserved part. */
  readonly weight: number;
  /** Without the coinbase. */
  readonly txCount: number;
}

/** Counters and gauges for /metrics. */
export interface TemplateStats {
  readonly builds: number;
  readonly failures: number;
  readonly resyncs: number;
  readonly arenaBytes: number;
  /** Mockable seconds since the current template was built; null without one. */
  readonly ageSeconds: number | null;
}

/** How a block for generate* is made. */
export interface AssembleOptions {
  /** Leave the mempool out. */
  readonly empty?: boolean;
  /** These transactions instead of the mempool's, in this order; their fees are not claimed (generateblock). */
  readonly transactions?: readonly TxView[];
  /** Goes into the coinbase after the height; counts from 1 for each tip. */
  readonly extraNonce?: number;
}

/** A template stays current so many whole seconds after the mempool moved. */
const REBUILD_AFTER_SECONDS = 5;
/** Bound on an idle task of the assembler: the next request waits at most so long. */
const IDLE_TASK_MS = 2;

/** What a verdict needs of a choice. */
type ChoiceFigures = Pick<ChosenTransactions, 'sigops' | 'cut' | 'youngest'>;

interface Built {
  readonly tip: TemplateTip;
  readonly facts: TemplateFacts;
  readonly records: ChosenRecords;
  /** BIP-0141, 32 bytes. */
  readonly witnessRoot: Uint8Array;
  readonly figures: ChoiceFigures;
}

/** What a template is made of. */
interface Choice {
  readonly tip: TemplateTip;
  readonly base: TipFacts;
  readonly chosen: ChosenTransactions;
  /** The mempool's when the choice began. */
  readonly counter: number;
  readonly builtAt: number;
  readonly epoch: number;
  readonly slabIndex: number;
  /** Transactions were left out, for now. */
  readonly empty: boolean;
}

type Kind = 'empty' | 'full';

export class TemplateService {
  readonly #options: TemplateOptions;
  readonly #deps: TemplateDeps;
  readonly #assembly: Assembly;
  readonly #context: TemplateContext;
  readonly #clients: ClientTemplates;
  readonly #listeners: Listeners<[TemplateFacts]>;
  #built: Built | null = null;
  #building: Promise<TemplateFacts> | null = null;
  #last: LastAssembly | null = null;
  #tipChangedMs: number | null = null;
  #builds = 0;
  #failures = 0;
  readonly #pinned = new PinnedTemplates();
  readonly #audit: TemplateAudit;
  /** null in mode core. */
  readonly #schedule: LiveSchedule | null;
  /** Of the last publication in mode live; starts anywhere, so that ids of an earlier run are not taken for ours. */
  #serial = Math.floor(Math.random() * 2 ** 32);

  /**
   * Whether every cluster of the mempool is known to be in the best order there is: mode `core` does not look for it,
   * and the small clusters that mode `chunks` goes with are put into it by each change.
   */
  get optimal(): boolean {
    return this.#schedule?.best ?? this.#options.mode === 'chunks';
  }
  /** Satoshis per 1,000 virtual bytes below which nothing enters a template. */
  get minFeeRate(): number {
    return this.#options.minFeeRate;
  }

  constructor(options: Partial<TemplateOptions>, deps: TemplateDeps) {
    this.#options = { ...DEFAULT_TEMPLATE, ...options };
    this.#deps = deps;
    this.#listeners = new Listeners(deps.guard ?? new ListenerGuard(deps.log));
    this.#assembly = new Assembly(deps.assembler, deps.mempool, Math.floor(Math.random() * 2 ** 48));
    this.#context = new TemplateContext(this.#options, deps);
    const shared = async (): Promise<TemplateFacts> => this.current() ?? this.refresh();
    const { chain, mempool } = deps;
    this.#clients = new ClientTemplates(this.#options, { chain, mempool, assembly: this.#assembly, context: this.#context, shared });
    this.#schedule = this.#options.mode === 'live' ? this.#createSchedule() : null;
    this.#audit = new TemplateAudit({
      check: (tip) => this.#checkBuilt(tip),
      failed: (fault) => this.#distrust(fault),
      after: deps.after ?? timerAfter,
    });
  }

  /** Last template, of any age, if it builds on the current tip and the clock allows its time. */
  current(): TemplateFacts | null {
    const built = this.#built;
    if (built === null || built.tip !== this.#deps.chain.tip) return null;
    return isAheadOfClock(built.facts, this.#deps.clock.nowSeconds()) ? null : built.facts;
  }

  /** Whether the clock is behind the tip, so that no template is made. */
  get clockBehind(): boolean {
    return this.#context.clockBehind;
  }

  /** Called when the clock fell behind the tip or caught up. Withdraws the current template. Mode live then builds a new one. */
  clockChanged(): void {
    if (!this.#options.keptBehindClock) this.#built = null;
    this.#schedule?.transactionsChanged(0);
  }

  get lastAssembly(): LastAssembly | null {
    return this.#last;
  }

  /** Hears of every new template, before those who asked for it. */
  onPublish(listener: (facts: TemplateFacts) => void, name?: string): void {
    this.#listeners.add(listener, name);
  }

  /**
   * The tip moved: starts the clock of tip-to-template. Synchronous; in mode live the template without transactions is
   * published before this returns, so that fronts hear of it before they hear of the tip. Whatever else is built is
   * built later.
   */
  onTip(): void {
    this.#tipChangedMs = this.#deps.clock.monotonicMs();
    this.#pinned.tipChanged(this.#deps.chain.tip.height);
    // Its tip may come back, and fronts then hand it out again; its transactions, which may have left the pool, are not
    // kept for that. In mode live, where they may still be asked for, the template of the new tip takes its place at
    // once.
    const built = this.#built;
    if (built !== null && this.#schedule === null && built.tip !== this.#deps.chain.tip) {
      this.#built = { ...built, records: nothingChosen(this.#options.reservedWeight).records };
    }
    this.#schedule?.tipChanged();
  }

  /**
   * What the new tip's blocks confirm has left the candidate set: in mode live the full template is begun in the
   * caller's turn, and its choice is under way on the assembler's thread when this returns, unless something has to be
   * waited for.
   */
  onConfirmed(): void {
    this.#schedule?.beginNow();
  }

  /** A transaction entered the mempool. */
  onEntered({ modifiedFee }: { readonly modifiedFee: number }): void {
    this.#schedule?.transactionsChanged(Math.max(0, modifiedFee));
  }

  /** One left it, or changed its modified fee, parents or sums over ancestors. */
  onRanked(): void {
    this.#schedule?.transactionsChanged(0);
  }

  /**
   * Holds the transactions of the current template for who got it without them.
   * @returns whether it is still the current one
   */
  pin(workId: string): boolean {
    const built = this.#built;
    if (built?.facts.live?.workId !== workId) return this.#pinned.get(workId) !== null;
    this.#pinned.pin({ workId, height: built.facts.height, records: built.records });
    return true;
  }

  /** The transactions of a template that was pinned, in block order; null when it is unknown or too old. */
  pinned(workId: string): readonly TxView[] | null {
    return this.#pinned.get(workId)?.records.txs() ?? null;
  }

  /**
   * The current template with limits of one client. The shared one stays as it is; so do its long polls, whose ids this
   * one carries.
   * @throws TooManyLimits, TemplateFault, AssemblyFault
   */
  limited(limits: TemplateLimits): Promise<LimitedTemplate> {
    return this.#clients.limited(limits);
  }

  /**
   * The facts of the block after the tip, without a template: its time if it were made now, and the compact target of
   * that.
   */
  next(): { readonly facts: TipFacts; readonly curtime: number; readonly bits: number } {
    const facts = this.#context.factsOf(this.#deps.chain.tip);
    const curtime = Math.max(facts.minTime, this.#deps.clock.nowSeconds());
    const easy = facts.minDifficulty;
    return { facts, curtime, bits: easy !== null && curtime > easy.afterTime ? easy.bits : facts.bits };
  }

  /**
   * Why a transaction is or is not in the current template; null without one. Synchronous, see verdict.ts.
   * @param txid internal order
   */
  verdict(
    txid: Uint8Array,
  ): { readonly facts: TemplateFacts; readonly verdict: TemplateVerdict; readonly template: VerdictTemplate } | null {
    const built = this.#built;
    if (built === null || built.tip !== this.#deps.chain.tip) return null;
    const { facts, records, figures } = built;
    const { mode, maxWeight, minFeeRate } = this.#options;
    const { lockTimeCutoff, segwitActive } = this.#context.factsOf(built.tip);
    const { height, weight } = facts;
    const empty = facts.live?.empty === true;
    const { cut, sigops, youngest } = figures;
    const template: VerdictTemplate = {
      ...{ records, mode, empty, height, lockTimeCutoff, segwitActive, weight, maxWeight, sigops, minFeeRate, cut, youngest },
      maxSigops: MAX_BLOCK_SIGOPS_COST,
    };
    return { facts, template, verdict: templateVerdict(this.#deps.mempool.records, template, txid) };
  }

  /** Mode live: the first template is made before any request. */
  start(): void {
    this.#schedule?.start();
  }

  /** Nothing is built any more. */
  close(): void {
    this.#schedule?.close();
    this.#audit.close();
  }

  /**
   * A template to hand out now. Mode live: the current one, or the next that is published. Mode core what Core would
   * hand out: of this tip, and rebuilt when the mempool moved and more than 5 seconds passed. Those who ask while one
   * is being built share it.
   * @throws TemplateFault, AssemblyFault
   */
  async refresh(): Promise<TemplateFacts> {
    if (this.#schedule !== null) return this.#refreshLive(this.#schedule);
    await this.#deps.mempool.settled();
    if (this.#isFresh()) return (this.#built as Built).facts;
    this.#building ??= this.#build().finally(() => {
      this.#building = null;
    });
    return this.#building;
  }

  /** A block on the tip that pays to script, for the generate calls. @throws TemplateFault, AssemblyFault */
  async assembleBlock(script: Uint8Array, options: AssembleOptions = {}): Promise<BlockCandidate> {
    const { chain, clock, hashes, mempool } = this.#deps;
    for (;;) {
      await mempool.settled();
      await this.#assembly.prepare();
      if (mempool.returning) continue;
      const { tip } = chain;
      const facts = this.#context.factsOf(tip);
      const chosen = await this.#choose(facts, options);
      if (chain.tip !== tip) continue;
      this.#remember(chosen);
      const time = Math.max(facts.minTime, clock.nowSeconds());
      const txs = options.transactions ?? chosen.records.txs();
      const witnessRoot = options.transactions === undefined ? chosen.witnessRoot : witnessRootOf(txs, hashes);
      const candidate = this.#context.candidate(tip, facts, { txs, fees: chosen.fees, witnessRoot }, time, script, options.extraNonce ?? 1);
      // generateblock's own transactions are judged by its caller, who has words for it.
      if (options.transactions === undefined && !(await this.#context.passes(candidate, tip))) continue;
      return candidate;
    }
  }

  /** What follows from the tip alone. */
  get tip(): { readonly tip: TemplateTip; readonly facts: TipFacts } {
    const { tip } = this.#deps.chain;
    return { tip, facts: this.#context.factsOf(tip) };
  }

  /**
   * Transactions for a block whose coinbase is another's; see client-templates.ts. The published template stays as it
   * is.
   */
  choose(reserve: { readonly weight: number; readonly sigops: number }): Promise<TemplateChoice | null> {
    return this.#clients.choose(reserve);
  }

  stats(): TemplateStats {
    return {
      builds: this.#builds,
      failures: this.#failures,
      resyncs: this.#assembly.resyncs,
      arenaBytes: this.#assembly.arenaBytes,
      ageSeconds: this.#built === null ? null : this.#deps.clock.nowSeconds() - this.#built.facts.builtAt,
    };
  }

  async #refreshLive(schedule: LiveSchedule): Promise<TemplateFacts> {
    for (;;) {
      const facts = this.current();
      if (facts !== null) return facts;
      await schedule.nextPublication();
    }
  }

  #createSchedule(): LiveSchedule {
    const { mempool, chain, assembler } = this.#deps;
    const work: LiveWork = {
      build: async (kind) => {
        const started = this.#deps.clock.monotonicMs();
        // A slab too small for what came meanwhile is taken anew; only another tip is news to the schedule.
        for (const { tip } = chain; chain.tip === tip; ) if ((await this.#tryBuild(kind, started)) !== null) return true;
        return false;
      },
      buildEmptyNow: () => this.#emptyForTip(),
      improve: async () => (mempool.size > 0 ? assembler.improve(IDLE_TASK_MS) : 'idle'),
      hasTransactions: () => mempool.size > 0 || mempool.returning,
      wanted: () => (this.#deps.wanted?.() ?? true) && !this.clockBehind,
      failed: (error) => this.#failed(error),
      after: this.#deps.after ?? timerAfter,
      nowMs: () => this.#deps.clock.monotonicMs(),
    };
    const { emptyFirst, longPollDeltaSats } = this.#options;
    return new LiveSchedule({ emptyFirst, gainSats: longPollDeltaSats }, work);
  }

  #isFresh(): boolean {
    const built = this.#built;
    const facts = this.#options.keptBehindClock && built?.tip === this.#deps.chain.tip ? built.facts : this.current();
    if (facts === null) return false;
    const { counter, builtAt } = facts;
    return counter === this.#deps.mempool.counter || this.#deps.clock.nowSeconds() - builtAt <= REBUILD_AFTER_SECONDS;
  }

  async #build(): Promise<TemplateFacts> {
    const { clock } = this.#deps;
    const started = clock.monotonicMs();
    // Whatever fails below must not leave an old template looking current.
    this.#built = null;
    try {
      for (;;) {
        const facts = await this.#tryBuild('full', started);
        if (facts !== null) return facts;
      }
    } catch (error) {
      this.#failed(error as Error);
      throw error;
    }
  }

  #failed(error: Error): void {
    if (error instanceof TemplateFault && error.code === 'CLOCK_BEHIND') return;
    this.#failures++;
    this.#deps.log.error(`No template: ${error.message}`);
  }

  /** @returns null when the tip moved meanwhile */
  async #tryBuild(kind: Kind, started: number): Promise<TemplateFacts | null> {
    const { chain, mempool, slabs, clock, epoch } = this.#deps;
    const full = kind === 'full';
    if (full) {
      if (mempool.returning) await mempool.settled();
      const prepared = this.#assembly.prepare();
      if (prepared !== undefined) await prepared;
    }
    let slab: TemplateSlab | null = null;
    try {
      if (full && mempool.size > 0) {
        const taken = slabs.takeSlabWhenFree(this.#assembly.encodedBound(this.#options));
        slab = taken instanceof Promise ? await taken : taken;
      }
      const { tip } = chain;
      // Unsettled (again): what the pool holds does not fit this tip. The caller comes back and waits.
      if (full && mempool.returning) return null;
      const tipEpoch = epoch();
      const { counter } = mempool;
      const builtAt = clock.nowSeconds();
      const base = this.#context.factsOf(tip);
      this.#context.requireClock();
      // A transaction may have come while the slab was waited for: then there may be more than it holds.
      if (slab === null ? full && mempool.size > 0 : slab.buffer.byteLength < this.#assembly.encodedBound(this.#options)) return null;
      const chosen =
        slab === null
          ? nothingChosen(this.#options.reservedWeight, mempool.records.lastSerial)
          : await this.#assembly.choose(base, this.#options, slab.buffer);
      if (chain.tip !== tip) return null;
      if (full) this.#remember(chosen);
      // Nothing that came was worth a place: the ids that clients know stay good.
      if (full && this.#isCurrent(tip, chosen.records)) {
        const built = this.#built as Built;
        this.#built = { ...built, figures: figuresOf(chosen) };
        return built.facts;
      }
      if (!(await this.#context.passesDry(tip, base, chosen, Math.max(base.minTime, builtAt)))) return null;
      const facts = this.#makeCurrent({ tip, base, chosen, counter, builtAt, epoch: tipEpoch, slabIndex: slab?.index ?? -1, empty: !full });
      this.#observe(started);
      if (slab !== null) slabs.publish(slab);
      slab = null;
      this.#listeners.call(facts);
      if (!this.#context.checksEach && chosen.records.length > 0) this.#audit.published(tip);
      return facts;
    } finally {
      if (slab !== null) slabs.discard(slab);
    }
  }

  /**
   * Mode live: publishes the template of a new tip without transactions.
   * @returns false if the template must be checked first, or the clock is behind the tip
   */
  #emptyForTip(): boolean {
    if (this.#context.checksEach || this.clockBehind) return false;
    this.#publishEmpty();
    return true;
  }

  /** Mode live: a template without transactions, now. It is the full one if there are none to come. */
  #publishEmpty(): void {
    const { chain, mempool, clock, epoch } = this.#deps;
    const started = clock.monotonicMs();
    const { tip } = chain;
    const facts = this.#makeCurrent({
      tip,
      base: this.#context.factsOf(tip),
      chosen: nothingChosen(this.#options.reservedWeight),
      counter: mempool.counter,
      builtAt: clock.nowSeconds(),
      epoch: epoch(),
      slabIndex: -1,
      empty: mempool.size > 0 || mempool.returning,
    });
    this.#observe(started);
    this.#listeners.call(facts);
  }

  /** Connects the current template dry. @returns what is wrong with it; null when nothing is, or the tip has moved */
  async #checkBuilt(tip: TemplateTip): Promise<Error | null> {
    const built = this.#built;
    const { chain, clock, log } = this.#deps;
    // While the clock is behind, every block would be refused, so a check proves nothing about the template.
    if (built === null || built.tip !== tip || chain.tip !== tip || this.clockBehind) return null;
    const { records, witnessRoot, facts } = built;
    const chosen: DryChoice = { records, witnessRoot, fees: facts.fees };
    try {
      const base = this.#context.factsOf(tip);
      // The time that a client is told now: the clock may have been put back since the template was built.
      await this.#context.connectsDry(tip, base, chosen, Math.max(base.minTime, clock.nowSeconds()));
    } catch (error) {
      if (error instanceof TemplateFault) return error;
      // The chain stopped; it has words for that.
      log.debug('rpc', `A template was not checked: ${(error as Error).message}`);
    }
    return null;
  }

  /** A template that clients have is no valid block: the mempool or the assembler can't be trusted any more. */
  #distrust(fault: Error): void {
    this.#failures++;
    this.#deps.log.error(
      `A template that was handed out is not valid: ${fault.message}. ` +
        'From now on each is connected dry before it is handed out, as with -checktemplates. Please report this.',
    );
    this.#context.checksEach = true;
    if (this.#schedule === null) {
      this.#built = null;
    } else {
      this.#publishEmpty();
      this.#schedule.transactionsChanged(0);
    }
  }

  /** Makes it the current template. @param empty transactions were left out, for now */
  #makeCurrent({ tip, base, chosen, empty, ...build }: Choice): TemplateFacts {
    // Numbered now, not when the build began: others may have been published since.
    if (this.#schedule !== null) this.#serial = (this.#serial + 1) >>> 0;
    const counter = this.#schedule === null ? build.counter : this.#serial;
    const facts = this.#context.facts(base, chosen, {
      ...build,
      counter,
      time: Math.max(base.minTime, build.builtAt),
      live: this.#schedule === null ? null : this.#liveFacts(tip, counter, empty, chosen),
    });
    this.#built = { tip, facts, records: chosen.records, witnessRoot: chosen.witnessRoot, figures: figuresOf(chosen) };
    return facts;
  }

  /** Mode live: the published template has these transactions already. */
  #isCurrent(tip: TemplateTip, records: ChosenRecords): boolean {
    const built = this.#built;
    if (built === null || built.facts !== this.current() || built.tip !== tip) return false;
    return built.facts.live !== null && !built.facts.live.empty && built.records.equals(records);
  }

  #observe(started: number): void {
    const { clock, observe } = this.#deps;
    this.#builds++;
    observe?.('template_build', (clock.monotonicMs() - started) / 1000);
    if (this.#tipChangedMs !== null) observe?.('tip_to_template', (clock.monotonicMs() - this.#tipChangedMs) / 1000);
    this.#tipChangedMs = null;
  }

  #liveFacts(tip: TemplateTip, counter: number, empty: boolean, chosen: ChosenTransactions): LiveFacts {
    const { longPollDeltaSats, longPollIntervalSeconds } = this.#options;
    return {
      empty,
      longPollDelta: longPollDeltaSats,
      longPollIntervalMs: longPollIntervalSeconds * 1000,
      workId: tip.hashHex.slice(-16) + counter.toString(16).padStart(8, '0'),
      merkleBranchHex: chosen.merkleBranch.map(toHex),
    };
  }

  async #choose(facts: TipFacts, options: AssembleOptions): Promise<ChosenTransactions> {
    if (options.empty === true || options.transactions !== undefined || this.#deps.mempool.size === 0)
      return nothingChosen(this.#options.reservedWeight);
    return this.#assembly.choose(facts, this.#options, null);
  }

  #remember(chosen: ChosenTransactions): void {
    this.#last = { weight: chosen.weight, txCount: chosen.records.length };
    if (chosen.records.length === 0) return;
    this.#deps.observe?.('template_select', chosen.selectMs / 1000);
    this.#deps.observe?.('template_encode', chosen.encodeMs / 1000);
  }
}

/** Without the transactions, which are kept no longer than the template's. */
function figuresOf({ sigops, cut, youngest }: ChosenTransactions): ChoiceFigures {
  return { sigops, cut, youngest };
}

function timerAfter(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

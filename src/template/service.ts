// The current template, shared by all clients. Mode core builds on request and retains a template as long as Core 0.21
// would; mode live builds in advance, by live-schedule.ts. A template is published only if its tip is still the tip.
// Templates for single clients and for Stratum V2 are made in client-templates.ts.

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
  /** Number of the tip for fronts; changes with every tip. */
  readonly epoch: () => number;
  /** Mode live: false while clients cannot request templates (initial block download). */
  readonly wanted?: () => boolean;
  /** Timers of mode live; tests supply their own. */
  readonly after?: (ms: number, run: () => void) => () => void;
  readonly observe?: (name: 'template_build' | 'template_select' | 'template_encode' | 'tip_to_template', seconds: number) => void;
}

/** Figures of the last full template or generated block (generate calls), for getmininginfo. */
export interface LastAssembly {
  /** Weight of the block, including the reserve for header and coinbase. */
  readonly weight: number;
  /** Number of transactions without the coinbase. */
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

/** Options of a block for the generate calls. */
export interface AssembleOptions {
  /** True for a block without transactions of the mempool. */
  readonly empty?: boolean;
  /** Transactions to use instead of the mempool's, in this order. The coinbase does not claim their fees (generateblock). */
  readonly transactions?: readonly TxView[];
  /** Part of the coinbase after the height; counts from 1 for each tip. */
  readonly extraNonce?: number;
}

/** Whole seconds for which a template stays current after the mempool changed. */
const REBUILD_AFTER_SECONDS = 5;
/** Longest time of an idle task of the assembler, for which the next request may have to wait. */
const IDLE_TASK_MS = 2;

/** Figures of a selection that a verdict needs. */
type ChoiceFigures = Pick<ChosenTransactions, 'sigops' | 'cut' | 'youngest'>;

interface Built {
  readonly tip: TemplateTip;
  readonly facts: TemplateFacts;
  readonly records: ChosenRecords;
  /** Root of the witness merkle tree (BIP-0141), 32 bytes. */
  readonly witnessRoot: Uint8Array;
  readonly figures: ChoiceFigures;
}

/** Parts of a new template. */
interface Choice {
  readonly tip: TemplateTip;
  readonly base: TipFacts;
  readonly chosen: ChosenTransactions;
  /** The mempool's counter when the selection began. */
  readonly counter: number;
  readonly builtAt: number;
  readonly epoch: number;
  readonly slabIndex: number;
  /** True if transactions were omitted for now. */
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
  /** Schedule of builds in mode live; null in other modes. */
  readonly #schedule: LiveSchedule | null;
  /** Number of the last publication in mode live. Starts at random, so that ids of an earlier run are not taken for current ones. */
  #serial = Math.floor(Math.random() * 2 ** 32);

  /**
   * True if every cluster of the mempool is known to be in its optimal order. Mode `core` does not compute it; the
   * small clusters of mode `chunks` are optimal after each change.
   */
  get optimal(): boolean {
    return this.#schedule?.best ?? this.#options.mode === 'chunks';
  }
  /** Fee rate in satoshis per 1,000 virtual bytes; packages below this rate enter no template. */
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

  /** Returns the last template, of any age, if it builds on the current tip and the clock allows its time. */
  current(): TemplateFacts | null {
    const built = this.#built;
    if (built === null || built.tip !== this.#deps.chain.tip) return null;
    return isAheadOfClock(built.facts, this.#deps.clock.nowSeconds()) ? null : built.facts;
  }

  /** True if the clock is behind the tip, so that no template is made. */
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

  /** Adds a listener that is called with every new template, before the calls that requested it are answered. */
  onPublish(listener: (facts: TemplateFacts) => void, name?: string): void {
    this.#listeners.add(listener, name);
  }

  /**
   * Called when the tip changed; starts the measurement of tip-to-template. Synchronous. In mode live the template
   * without transactions is published before this returns, so that fronts get it before the tip. Everything else is
   * built later.
   */
  onTip(): void {
    this.#tipChangedMs = this.#deps.clock.monotonicMs();
    this.#pinned.tipChanged(this.#deps.chain.tip.height);
    // Keep the old template: after a reorganisation its tip may return, and fronts then return this template again. Drop
    // its transactions, which may have left the mempool. Mode live keeps them too, because they may be needed until the
    // template of the new tip replaces them, at once.
    const built = this.#built;
    if (built !== null && this.#schedule === null && built.tip !== this.#deps.chain.tip) {
      this.#built = { ...built, records: nothingChosen(this.#options.reservedWeight).records };
    }
    this.#schedule?.tipChanged();
  }

  /**
   * Called when transactions confirmed by the new tip have left the mempool. In mode live the full template is begun in
   * the caller's tick, and the assembler's thread is already selecting when this returns, unless there is something to
   * wait for.
   */
  onConfirmed(): void {
    this.#schedule?.beginNow();
  }

  /** Called when a transaction entered the mempool. */
  onEntered({ modifiedFee }: { readonly modifiedFee: number }): void {
    this.#schedule?.transactionsChanged(Math.max(0, modifiedFee));
  }

  /** Called when a transaction left, or its modified fee, parents or ancestor sums changed. */
  onRanked(): void {
    this.#schedule?.transactionsChanged(0);
  }

  /**
   * Retains the transactions of the current template for a client that got it without them.
   * @returns false if the template is unknown by now
   */
  pin(workId: string): boolean {
    const built = this.#built;
    if (built?.facts.live?.workId !== workId) return this.#pinned.get(workId) !== null;
    this.#pinned.pin({ workId, height: built.facts.height, records: built.records });
    return true;
  }

  /** Returns the transactions of a pinned template, in block order; null if it is unknown or too old. */
  pinned(workId: string): readonly TxView[] | null {
    return this.#pinned.get(workId)?.records.txs() ?? null;
  }

  /**
   * Returns the current template with limits of one client. It has the long poll id of the shared template, which stays
   * unchanged.
   * @throws TooManyLimits, TemplateFault, AssemblyFault
   */
  limited(limits: TemplateLimits): Promise<LimitedTemplate> {
    return this.#clients.limited(limits);
  }

  /** Returns the facts of the block after the tip without a template: its time if it were made now, and its compact target. */
  next(): { readonly facts: TipFacts; readonly curtime: number; readonly bits: number } {
    const facts = this.#context.factsOf(this.#deps.chain.tip);
    const curtime = Math.max(facts.minTime, this.#deps.clock.nowSeconds());
    const easy = facts.minDifficulty;
    return { facts, curtime, bits: easy !== null && curtime > easy.afterTime ? easy.bits : facts.bits };
  }

  /**
   * Explains why a transaction is or is not in the current template; null without a template. Synchronous, see
   * verdict.ts.
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

  /** Builds the first template before any request, in mode live. */
  start(): void {
    this.#schedule?.start();
  }

  /** Ends all builds. */
  close(): void {
    this.#schedule?.close();
    this.#audit.close();
  }

  /**
   * Returns a template for a client. Mode live: the current one, or the next one that is published. Mode core: the one
   * that Core would return, which is of this tip and rebuilt if the mempool changed and more than 5 seconds passed.
   * Concurrent calls share one build.
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

  /** Returns a block on the tip that pays to a script, for the generate calls. @throws TemplateFault, AssemblyFault */
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
      // generateblock checks its own transactions, with its own error messages.
      if (options.transactions === undefined && !(await this.#context.passes(candidate, tip))) continue;
      return candidate;
    }
  }

  /** The tip, and the facts that depend on it alone. */
  get tip(): { readonly tip: TemplateTip; readonly facts: TipFacts } {
    const { tip } = this.#deps.chain;
    return { tip, facts: this.#context.factsOf(tip) };
  }

  /**
   * Selects transactions for a block whose coinbase a client makes; see client-templates.ts. The published template
   * stays unchanged.
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
        // If the slab was too small for transactions that arrived meanwhile, a larger one is taken. Only a new tip ends the loop.
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
    // If the build fails, the old template must not seem current.
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
    this.#deps.log.error(`No template could be built: ${error.message}`);
  }

  /** Builds and publishes a template. @returns null if the caller must try again, for example because the tip changed */
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
      // The mempool does not match the tip, perhaps again. The caller retries, and then waits for the mempool.
      if (full && mempool.returning) return null;
      const tipEpoch = epoch();
      const { counter } = mempool;
      const builtAt = clock.nowSeconds();
      const base = this.#context.factsOf(tip);
      this.#context.requireClock();
      // Transactions may have arrived while the slab was waited for, more than it can hold.
      if (slab === null ? full && mempool.size > 0 : slab.buffer.byteLength < this.#assembly.encodedBound(this.#options)) return null;
      const chosen =
        slab === null
          ? nothingChosen(this.#options.reservedWeight, mempool.records.lastSerial)
          : await this.#assembly.choose(base, this.#options, slab.buffer);
      if (chain.tip !== tip) return null;
      if (full) this.#remember(chosen);
      // No new transaction was selected, so the ids that clients know stay valid.
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
   * Publishes the template of a new tip without transactions, in mode live.
   * @returns false if the template must be checked first, or the clock is behind the tip
   */
  #emptyForTip(): boolean {
    if (this.#context.checksEach || this.clockBehind) return false;
    this.#publishEmpty();
    return true;
  }

  /** Publishes a template without transactions, in mode live. If the mempool is empty, it is the full template. */
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

  /** Checks the current template. @returns its fault; null if it is valid, or if the tip has changed */
  async #checkBuilt(tip: TemplateTip): Promise<Error | null> {
    const built = this.#built;
    const { chain, clock, log } = this.#deps;
    // While the clock is behind, every block would be refused, so a check proves nothing about the template.
    if (built === null || built.tip !== tip || chain.tip !== tip || this.clockBehind) return null;
    const { records, witnessRoot, facts } = built;
    const chosen: DryChoice = { records, witnessRoot, fees: facts.fees };
    try {
      const base = this.#context.factsOf(tip);
      // Uses the time that a client would get now: the clock may have been set back since the template was built.
      await this.#context.connectsDry(tip, base, chosen, Math.max(base.minTime, clock.nowSeconds()));
    } catch (error) {
      if (error instanceof TemplateFault) return error;
      // The chain was stopped, and reports that itself.
      log.debug('rpc', `A template was not checked: ${(error as Error).message}`);
    }
    return null;
  }

  /** Handles an invalid template that clients already have: the mempool or the assembler can no longer be trusted. */
  #distrust(fault: Error): void {
    this.#failures++;
    this.#deps.log.error(
      `An invalid template was sent to clients: ${fault.message}. ` +
        'From now on each template is checked before it is published, as with -checktemplates. Please report this.',
    );
    this.#context.checksEach = true;
    if (this.#schedule === null) {
      this.#built = null;
    } else {
      this.#publishEmpty();
      this.#schedule.transactionsChanged(0);
    }
  }

  /** Makes a selection the current template. @param empty true if transactions were omitted for now */
  #makeCurrent({ tip, base, chosen, empty, ...build }: Choice): TemplateFacts {
    // Number the template now, not when the build began, because other templates may have been published since.
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

  /** Returns true if the published template has these transactions already, in mode live. */
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

/** Copies the figures, without the transactions, which are retained only with the template. */
function figuresOf({ sigops, cut, youngest }: ChosenTransactions): ChoiceFigures {
  return { sigops, cut, youngest };
}

function timerAfter(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

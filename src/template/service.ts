// The current template: built on request, kept for as long as Core 0.21 would keep it, shared by everyone who asks. Callers: fronts
// through the node link, RPC's generate calls, metrics. A template is published only if the tip it builds on is still the tip.

import { parseBlock } from '../consensus/block/block-view.js';
import { toHex } from '../consensus/bytes/hex.js';
import type { VersionBitsCache } from '../consensus/rules/versionbits.js';
import { rejectText } from '../consensus/state.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';
import type { Assembler } from '../parallel/assembler.js';
import { Assembly, type ChosenTransactions, nothingChosen } from './assembly.js';
import { BlockCandidate } from './block-candidate.js';
import { buildCoinbase, commitmentScript, witnessRootOf } from './coinbase.js';
import type { TemplateFacts } from './facts.js';
import { clampMaxWeight, DEFAULT_TEMPLATE, type TemplateOptions } from './options.js';
import type { TemplateChain, TemplateSlab, TemplateSlabs, TemplateTip, TransactionSource } from './source.js';
import { type TipFacts, tipFacts } from './tip-facts.js';

export interface TemplateDeps {
  readonly chain: TemplateChain;
  readonly mempool: TransactionSource;
  readonly assembler: Assembler;
  readonly slabs: TemplateSlabs;
  readonly clock: Clock;
  readonly hashes: Hashes;
  readonly versionBits: VersionBitsCache;
  readonly log: Logger;
  /** Number of the tip, as fronts see it; changes with every tip. */
  readonly epoch: () => number;
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

/** A block we made ourselves doesn't connect. The message is Core's. */
export class TemplateFault extends Error {
  readonly code = 'TEMPLATE_FAULT';
  constructor(message: string) {
    super(message);
    this.name = 'TemplateFault';
  }
}

/** A template stays current so many whole seconds after the mempool moved. */
const REBUILD_AFTER_SECONDS = 5;
/** OP_TRUE: the payout of a template's own coinbase, which nobody ever sees. */
const ANYONE = Uint8Array.of(0x51);

interface Built {
  readonly tip: TemplateTip;
  readonly facts: TemplateFacts;
}

export class TemplateService {
  readonly #options: TemplateOptions;
  readonly #deps: TemplateDeps;
  readonly #assembly: Assembly;
  readonly #listeners: ((facts: TemplateFacts) => void)[] = [];
  #built: Built | null = null;
  #building: Promise<TemplateFacts> | null = null;
  #last: LastAssembly | null = null;
  #tipFacts: { readonly tip: TemplateTip; readonly facts: TipFacts } | null = null;
  #tipChangedMs: number | null = null;
  #builds = 0;
  #failures = 0;

  constructor(options: Partial<TemplateOptions>, deps: TemplateDeps) {
    const given = { ...DEFAULT_TEMPLATE, ...options };
    this.#options = { ...given, maxWeight: clampMaxWeight(given.maxWeight) };
    this.#deps = deps;
    this.#assembly = new Assembly(deps.assembler, deps.mempool, Math.floor(Math.random() * 2 ** 48));
  }

  /** The last template if its tip is still the tip, whatever its age. */
  current(): TemplateFacts | null {
    return this.#built !== null && this.#built.tip === this.#deps.chain.tip ? this.#built.facts : null;
  }

  get lastAssembly(): LastAssembly | null {
    return this.#last;
  }

  /** Hears of every new template, before those who asked for it. */
  onPublish(listener: (facts: TemplateFacts) => void): void {
    this.#listeners.push(listener);
  }

  /** The tip moved: starts the clock of tip-to-template. Synchronous; nothing is built before someone asks. */
  onTip(): void {
    this.#tipChangedMs = this.#deps.clock.monotonicMs();
  }

  /**
   * A template that Core would hand out now: of this tip, and rebuilt when the mempool moved and more than 5 seconds passed. Those who
   * ask while one is being built share it. @throws TemplateFault, AssemblyFault
   */
  async refresh(): Promise<TemplateFacts> {
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
      const { tip } = chain;
      const facts = this.#factsOf(tip);
      const chosen = await this.#choose(facts, options);
      if (chain.tip !== tip) continue;
      this.#remember(chosen);
      const time = Math.max(facts.minTime, clock.nowSeconds());
      const txs = options.transactions ?? chosen.txs;
      const witnessRoot = options.transactions === undefined ? chosen.witnessRoot : witnessRootOf(txs, hashes);
      const candidate = this.#candidate(tip, facts, { txs, fees: chosen.fees, witnessRoot }, time, script, options.extraNonce ?? 1);
      // generateblock's own transactions are judged by its caller, who has words for it.
      if (options.transactions === undefined && !(await this.#passes(candidate, tip))) continue;
      return candidate;
    }
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

  #isFresh(): boolean {
    const built = this.#built;
    if (built === null || built.tip !== this.#deps.chain.tip) return false;
    const { counter, builtAt } = built.facts;
    return counter === this.#deps.mempool.counter || this.#deps.clock.nowSeconds() - builtAt <= REBUILD_AFTER_SECONDS;
  }

  async #build(): Promise<TemplateFacts> {
    const { clock } = this.#deps;
    const started = clock.monotonicMs();
    // Whatever fails below must not leave an old template looking current.
    this.#built = null;
    try {
      for (;;) {
        const facts = await this.#tryBuild();
        if (facts === null) continue;
        this.#builds++;
        this.#deps.observe?.('template_build', (clock.monotonicMs() - started) / 1000);
        if (this.#tipChangedMs !== null) this.#deps.observe?.('tip_to_template', (clock.monotonicMs() - this.#tipChangedMs) / 1000);
        this.#tipChangedMs = null;
        return facts;
      }
    } catch (error) {
      this.#failures++;
      this.#deps.log.error(`No template: ${(error as Error).message}`);
      throw error;
    }
  }

  /** @returns null when the tip moved meanwhile */
  async #tryBuild(): Promise<TemplateFacts | null> {
    const { chain, mempool, slabs, clock, epoch } = this.#deps;
    await mempool.settled();
    let slab: TemplateSlab | null = null;
    try {
      if (mempool.size > 0) slab = await slabs.takeWhenFree(this.#assembly.encodedBound(this.#options));
      const { tip } = chain;
      const tipEpoch = epoch();
      const counter = mempool.counter;
      const builtAt = clock.nowSeconds();
      const base = this.#factsOf(tip);
      // A transaction may have come while the slab was waited for: then there may be more than it holds.
      if (slab === null ? mempool.size > 0 : slab.buffer.byteLength < this.#assembly.encodedBound(this.#options)) return null;
      const chosen =
        slab === null ? nothingChosen(this.#options.reservedWeight) : await this.#assembly.choose(base, this.#options, slab.buffer);
      if (chain.tip !== tip) return null;
      this.#remember(chosen);
      const time = Math.max(base.minTime, builtAt);
      if (this.#options.checkTemplates) {
        const candidate = this.#candidate(tip, base, chosen, time, ANYONE, 0);
        if (!(await this.#passes(candidate, tip))) return null;
      }
      const facts = this.#facts(base, chosen, { epoch: tipEpoch, counter, builtAt, time, slabIndex: slab?.index ?? -1 });
      this.#built = { tip, facts };
      if (slab !== null) slabs.publish(slab);
      slab = null;
      for (const listener of this.#listeners) listener(facts);
      return facts;
    } finally {
      if (slab !== null) slabs.discard(slab);
    }
  }

  #facts(
    base: TipFacts,
    chosen: ChosenTransactions,
    build: Pick<TemplateFacts, 'epoch' | 'counter' | 'builtAt' | 'time' | 'slabIndex'>,
  ): TemplateFacts {
    const { chain, hashes } = this.#deps;
    const { lockTimeCutoff: _, segwitDefined, segwitActive: __, subsidy, ...shown } = base;
    const challenge = chain.params.signetChallenge;
    return {
      ...build,
      ...shown,
      coinbaseValue: subsidy + chosen.fees,
      commitmentHex: segwitDefined ? toHex(commitmentScript(chosen.witnessRoot, hashes)) : null,
      signetChallengeHex: challenge === null ? null : toHex(challenge),
      transactionsOffset: 0,
      transactionsLength: build.slabIndex === -1 ? 2 : chosen.encodedLength,
      txCount: chosen.txs.length,
      weight: chosen.weight,
      fees: chosen.fees,
    };
  }

  async #choose(facts: TipFacts, options: AssembleOptions): Promise<ChosenTransactions> {
    if (options.empty === true || options.transactions !== undefined || this.#deps.mempool.size === 0)
      return nothingChosen(this.#options.reservedWeight);
    return this.#assembly.choose(facts, this.#options, null);
  }

  #remember(chosen: ChosenTransactions): void {
    this.#last = { weight: chosen.weight, txCount: chosen.txs.length };
    if (chosen.txs.length === 0) return;
    this.#deps.observe?.('template_select', chosen.selectMs / 1000);
    this.#deps.observe?.('template_encode', chosen.encodeMs / 1000);
  }

  #factsOf(tip: TemplateTip): TipFacts {
    if (this.#tipFacts?.tip !== tip) {
      const { params } = this.#deps.chain;
      const blockVersion = params.mineOnDemand ? this.#options.blockVersion : null;
      this.#tipFacts = { tip, facts: tipFacts(tip, params, this.#deps.versionBits, blockVersion) };
    }
    return this.#tipFacts.facts;
  }

  #candidate(
    tip: TemplateTip,
    facts: TipFacts,
    chosen: Pick<ChosenTransactions, 'txs' | 'fees' | 'witnessRoot'>,
    time: number,
    script: Uint8Array,
    extraNonce: number,
  ): BlockCandidate {
    const { hashes } = this.#deps;
    const easy = facts.minDifficulty;
    const coinbase = buildCoinbase({
      height: facts.height,
      extraNonce,
      value: facts.subsidy + chosen.fees,
      script,
      commitment: facts.segwitDefined ? commitmentScript(chosen.witnessRoot, hashes) : null,
      witness: facts.segwitActive,
    });
    const bits = easy !== null && time > easy.afterTime ? easy.bits : facts.bits;
    const { version, height } = facts;
    return new BlockCandidate({ version, prevHash: tip.hash, time, bits, height, coinbase, txs: chosen.txs }, hashes);
  }

  /** @returns false when the tip moved meanwhile @throws TemplateFault when the block breaks a rule */
  async #passes(candidate: BlockCandidate, tip: TemplateTip): Promise<boolean> {
    const { chain, hashes } = this.#deps;
    const verdict = await chain.testBlockValidity(parseBlock(candidate.bytes(), hashes), { checkPow: false, checkMerkle: false });
    if (chain.tip !== tip) return false;
    if (verdict === null) return true;
    throw new TemplateFault(`TestBlockValidity failed: ${rejectText(verdict)}`);
  }
}

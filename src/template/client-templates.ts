// Templates for one client: with limits from its request, and selections for coinbases of Stratum V2 clients. They use
// the assembler and the mirror of the shared template, which stays unchanged.
import { hashFromHex } from '../consensus/bytes/hex.js';
import { MAX_BLOCK_SIGOPS_COST } from '../consensus/limits.js';
import type { TemplateLimits } from '../policy/template-limits.js';
import { RESERVED_SIGOPS } from '../selection/index.js';
import { type Assembly, type AssemblyLimits, type ChosenTransactions, nothingChosen } from './assembly.js';
import type { TemplateFacts } from './facts.js';
import { type LimitedTemplate, LimitedTemplates } from './limited-templates.js';
import type { TemplateOptions } from './options.js';
import type { TemplateChain, TemplateTip, TransactionSource } from './source.js';
import type { TemplateContext } from './template-context.js';
import type { TipFacts } from './tip-facts.js';

/** Transactions for a block on a tip. */
export interface TemplateChoice {
  readonly tip: TemplateTip;
  readonly facts: TipFacts;
  readonly chosen: ChosenTransactions;
}

export interface ClientTemplatesDeps {
  readonly chain: TemplateChain;
  readonly mempool: TransactionSource;
  readonly assembly: Assembly;
  readonly context: TemplateContext;
  /** Returns the shared template of the tip, and builds one if there is none. */
  readonly shared: () => Promise<TemplateFacts>;
}

export class ClientTemplates {
  readonly #options: TemplateOptions;
  readonly #deps: ClientTemplatesDeps;
  readonly #limited = new LimitedTemplates((limits) => this.#build(limits));
  /** Buffer for templates with limits. They are built one after another and copied out. */
  #output = new SharedArrayBuffer(0);

  constructor(options: TemplateOptions, deps: ClientTemplatesDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Returns the current template with limits of one client. @throws TooManyLimits, TemplateFault, AssemblyFault */
  async limited(limits: TemplateLimits): Promise<LimitedTemplate> {
    const { epoch, counter } = await this.#deps.shared();
    return this.#limited.get(limits, `${epoch}/${counter}`);
  }

  /**
   * Selects transactions for a block whose coinbase a client makes, with the coinbase's merkle branch.
   * @param reserve weight of header and coinbase, and sigop cost of the coinbase
   * @returns null if the tip changed meanwhile
   * @throws TemplateFault while the clock is behind the tip, AssemblyFault
   */
  async choose(reserve: { readonly weight: number; readonly sigops: number }): Promise<TemplateChoice | null> {
    const { chain, mempool, assembly, context: ground } = this.#deps;
    await mempool.settled();
    await assembly.prepare();
    if (mempool.returning) return null;
    ground.requireClock();
    const { tip } = chain;
    const facts = ground.factsOf(tip);
    if (mempool.size === 0) return { tip, facts, chosen: nothingChosen(reserve.weight) };
    const maxSigops = MAX_BLOCK_SIGOPS_COST - Math.max(0, reserve.sigops - RESERVED_SIGOPS);
    const limits = { ...this.#options, reservedWeight: reserve.weight, maxSigops, branch: true };
    const chosen = await assembly.choose(facts, limits, null);
    return chain.tip === tip ? { tip, facts, chosen } : null;
  }

  /** Builds one template. LimitedTemplates calls this for one template at a time. */
  async #build(asked: TemplateLimits): Promise<LimitedTemplate> {
    const { chain, mempool, assembly, context: ground } = this.#deps;
    const { maxWeight, reservedWeight } = this.#options;
    const limits: AssemblyLimits = {
      ...this.#options,
      // Mode chunks would exclude the whole cluster of an excluded transaction, so use mode live instead.
      mode: this.#options.mode === 'chunks' ? 'live' : this.#options.mode,
      // A block without transactions still has the reserve.
      maxWeight: Math.max(reservedWeight, Math.min(maxWeight, asked.maxWeight ?? maxWeight)),
      minFeeRate: Math.max(this.#options.minFeeRate, asked.minFeeRate ?? 0),
      maxSigops: asked.maxSigops ?? MAX_BLOCK_SIGOPS_COST,
      exclude: asked.exclude.map(hashFromHex),
      apart: true,
    };
    for (;;) {
      await mempool.settled();
      await assembly.prepare();
      const shared = await this.#deps.shared();
      const { tip } = chain;
      // The shared template supplies the time and the long poll id, so both must have the same tip.
      if (mempool.returning || shared.prevHashHex !== tip.hashHex) continue;
      const base = ground.factsOf(tip);
      const chosen = await this.#choose(base, limits);
      if (chain.tip !== tip) continue;
      if (!(await ground.passesDry(tip, base, chosen, shared.time))) continue;
      const { epoch, counter, builtAt, time, live } = shared;
      const transactions = new Uint8Array(this.#output, 0, chosen.encodedLength).slice();
      const facts = ground.facts(base, chosen, { epoch, counter, builtAt, time, slabIndex: -1, live });
      return { facts: { ...facts, transactionsLength: transactions.length }, transactions };
    }
  }

  async #choose(base: TipFacts, limits: AssemblyLimits): Promise<ChosenTransactions> {
    const { assembly } = this.#deps;
    const bound = assembly.encodedBound(limits);
    if (bound > this.#output.byteLength) this.#output = new SharedArrayBuffer(bound);
    try {
      return await assembly.choose(base, limits, this.#output);
    } catch (error) {
      // Replace the buffer, because a failed assembler may still write to the old one.
      this.#output = new SharedArrayBuffer(0);
      throw error;
    }
  }
}

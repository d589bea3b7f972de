// Common parts of every template, shared or for one client: the facts of its tip, its block, and the check of that block.
import { parseBlock } from '../consensus/block/block-view.js';
import { toHex } from '../consensus/bytes/hex.js';
import { MAX_FUTURE_BLOCK_TIME } from '../consensus/limits.js';
import { coinbaseLock } from '../consensus/rules/cleanup/coinbase-lock.js';
import type { VersionBitsCache } from '../consensus/rules/versionbits.js';
import { rejectText } from '../consensus/state.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import type { Clock } from '../lib/clock.js';
import type { ChosenTransactions } from './assembly.js';
import { BlockCandidate } from './block-candidate.js';
import { buildCoinbase, commitmentScript } from './coinbase.js';
import type { TemplateFacts } from './facts.js';
import type { TemplateOptions } from './options.js';
import type { TemplateChain, TemplateTip } from './source.js';
import { type TipFacts, tipFacts } from './tip-facts.js';

/** The release of Core from which coinbases are locked to their height. */
const LOCKED_COINBASES = 30;
/** The release of Core from which the message of a TemplateFault does not begin with `CreateNewBlock: `. */
const BARE_FAULTS = 30;
/** OP_TRUE: payout of the coinbase in a checked template. No client gets it. */
const ANYONE = Uint8Array.of(0x51);

/** The block of a template is invalid. The message is Core's. */
export class TemplateFault extends Error {
  /** CLOCK_BEHIND: only the clock is wrong, which ClockWatch has already reported. */
  readonly code: 'TEMPLATE_FAULT' | 'CLOCK_BEHIND';
  constructor(message: string, code: TemplateFault['code'] = 'TEMPLATE_FAULT') {
    super(message);
    this.code = code;
    this.name = 'TemplateFault';
  }
}

export interface TemplateContextDeps {
  readonly chain: TemplateChain;
  readonly hashes: Hashes;
  readonly versionBits: VersionBitsCache;
  readonly clock: Pick<Clock, 'nowSeconds'>;
}

/** Parts of a block besides its coinbase's payout. */
type BlockParts = Pick<ChosenTransactions, 'fees' | 'witnessRoot'> & { readonly txs: readonly TxView[] };

/** The part of a selection that goes into a block. */
export type DryChoice = Pick<ChosenTransactions, 'fees' | 'witnessRoot' | 'records'>;

export class TemplateContext {
  readonly #options: Pick<TemplateOptions, 'blockVersion' | 'release'>;
  readonly #deps: TemplateContextDeps;
  /** True if each template is checked before it is published. */
  checksEach: boolean;
  #tipFacts: { readonly tip: TemplateTip; readonly facts: TipFacts } | null = null;

  constructor(options: Pick<TemplateOptions, 'blockVersion' | 'checkTemplates' | 'release'>, deps: TemplateContextDeps) {
    this.#options = options;
    this.#deps = deps;
    this.checksEach = options.checkTemplates;
  }

  /** Returns the facts that depend on the tip alone. */
  factsOf(tip: TemplateTip): TipFacts {
    if (this.#tipFacts?.tip !== tip) {
      const { params } = this.#deps.chain;
      const blockVersion = params.mineOnDemand ? this.#options.blockVersion : null;
      this.#tipFacts = { tip, facts: tipFacts(tip, params, this.#deps.versionBits, { blockVersion, release: this.#options.release }) };
    }
    return this.#tipFacts.facts;
  }

  /** Returns the facts of a selection for fronts and clients. */
  facts(
    base: TipFacts,
    chosen: ChosenTransactions,
    build: Pick<TemplateFacts, 'epoch' | 'counter' | 'builtAt' | 'time' | 'slabIndex' | 'live'>,
  ): TemplateFacts {
    const { chain, hashes } = this.#deps;
    const { lockTimeCutoff: _, segwitDefined, segwitActive: __, cleanupActive: ___, subsidy, ...shown } = base;
    const challenge = chain.params.signetChallenge;
    return {
      ...build,
      ...shown,
      coinbaseValue: subsidy + chosen.fees,
      commitmentHex: segwitDefined ? toHex(commitmentScript(chosen.witnessRoot, hashes)) : null,
      signetChallengeHex: challenge === null ? null : toHex(challenge),
      transactionsOffset: 0,
      transactionsLength: build.slabIndex === -1 ? 2 : chosen.encodedLength,
      txCount: chosen.records.length,
      weight: chosen.weight,
      fees: chosen.fees,
    };
  }

  /** Returns the block of a selection, without its nonce. */
  candidate(tip: TemplateTip, facts: TipFacts, chosen: BlockParts, time: number, script: Uint8Array, extraNonce: number): BlockCandidate {
    const { hashes } = this.#deps;
    const easy = facts.minDifficulty;
    const locked = this.#options.release >= LOCKED_COINBASES;
    const coinbase = buildCoinbase({
      height: facts.height,
      extraNonce: locked ? null : extraNonce,
      value: facts.subsidy + chosen.fees,
      script,
      commitment: facts.segwitDefined ? commitmentScript(chosen.witnessRoot, hashes) : null,
      witness: facts.segwitActive,
      lock: facts.cleanupActive || locked ? coinbaseLock(facts.height) : null,
    });
    const bits = easy !== null && time > easy.afterTime ? easy.bits : facts.bits;
    const { version, height } = facts;
    return new BlockCandidate({ version, prevHash: tip.hash, time, bits, height, coinbase, txs: chosen.txs }, hashes);
  }

  /** Checks a block. @returns false if the tip changed meanwhile @throws TemplateFault if the block breaks a rule */
  async passes(candidate: BlockCandidate, tip: TemplateTip): Promise<boolean> {
    const { chain, hashes } = this.#deps;
    const verdict = await chain.testBlockValidity(parseBlock(candidate.bytes(), hashes), { checkPow: false, checkMerkle: false });
    if (chain.tip !== tip) return false;
    if (verdict === null) return true;
    throw this.#fault(rejectText(verdict));
  }

  /** True if the clock is so far behind the tip that the node would refuse any block on it. */
  get clockBehind(): boolean {
    const { chain, clock } = this.#deps;
    return this.factsOf(chain.tip).minTime > clock.nowSeconds() + MAX_FUTURE_BLOCK_TIME;
  }

  /** Throws the error of the check if the clock is behind the tip. @throws TemplateFault */
  requireClock(): void {
    if (this.clockBehind) throw this.#fault('time-too-new, block timestamp too far in the future', 'CLOCK_BEHIND');
  }

  #fault(reason: string, code?: TemplateFault['code']): TemplateFault {
    const finder = this.#options.release < BARE_FAULTS ? 'CreateNewBlock: ' : '';
    return new TemplateFault(`${finder}TestBlockValidity failed: ${reason}`, code);
  }

  /** Checks a template before it is published, if each is checked (-checktemplates); otherwise returns true. */
  async passesDry(tip: TemplateTip, base: TipFacts, chosen: ChosenTransactions, time: number): Promise<boolean> {
    return !this.checksEach || this.connectsDry(tip, base, chosen, time);
  }

  /** Checks the block of a template, with a coinbase of its own. */
  connectsDry(tip: TemplateTip, base: TipFacts, chosen: DryChoice, time: number): Promise<boolean> {
    return this.passes(this.candidate(tip, base, { ...chosen, txs: chosen.records.txs() }, time, ANYONE, 0), tip);
  }
}

// Looks out for rules that miners agreed on and this node doesn't know (BIP-0009): an operator hears of them when they
// are locked in, and getmininginfo, getnetworkinfo and -alertnotify tell of them once they are enforced.
import type { Chain } from '../chain/chain.js';
import type { HeaderContext } from '../consensus/header-context.js';
import { periodEnd, unknownVotes } from '../consensus/rules/versionbits.js';
import { Slicer } from '../lib/slicer.js';
import type { Logger } from '../log/logger.js';

/** Unknown rules in the period after a block, as masks of version bits. */
interface Rules {
  readonly lockedIn: number;
  readonly active: number;
}

const NONE: Rules = { lockedIn: 0, active: 0 };

/** Follows the tip and warns, each bit once. */
export class RuleWatch {
  /** By the last block of a period; forgets with the headers. */
  readonly #rules = new WeakMap<HeaderContext, Rules>();
  #reported = NONE;
  #text = '';
  #checking = false;
  readonly #chain: Pick<Chain, 'tip' | 'params' | 'versionBits' | 'isInitialBlockDownload'>;
  readonly #log: Logger;
  readonly #alert: (text: string) => void;

  readonly #words: string;

  /**
   * @param alert runs -alertnotify
   * @param words how the warning begins, which 0.21 says otherwise
   */
  constructor(
    chain: Pick<Chain, 'tip' | 'params' | 'versionBits' | 'isInitialBlockDownload'>,
    log: Logger,
    alert: (text: string) => void,
    words = 'Unknown',
  ) {
    this.#words = words;
    this.#chain = chain;
    this.#log = log;
    this.#alert = alert;
  }

  /** What getmininginfo and others show under `warnings`; empty when all is well. */
  get text(): string {
    return this.#text;
  }

  /** The tip moved. The first look goes through all periods, in slices; those after it see one period at most. */
  onTip(): void {
    if (this.#checking || this.#chain.isInitialBlockDownload()) return;
    this.#checking = true;
    this.#checkRules()
      .catch((error: Error) => this.#log.error(`Unknown rules: ${error.message}`))
      .finally(() => {
        this.#checking = false;
      });
  }

  async #checkRules(): Promise<void> {
    const slicer = new Slicer();
    const { params, versionBits, tip } = this.#chain;
    const pending: HeaderContext[] = [];
    let rules: Rules | undefined;
    let end = periodEnd(tip, params.minerConfirmationWindow);
    for (; end !== null; end = end.ancestor(end.height - params.minerConfirmationWindow)) {
      rules = this.#rules.get(end);
      if (rules !== undefined) break;
      pending.push(end);
    }
    for (const closed of pending.reverse()) {
      // Votes of the first period count for nothing: no rule has started yet.
      if (rules === undefined) rules = NONE;
      else {
        const active: number = rules.active | rules.lockedIn;
        rules = { active, lockedIn: unknownVotes(closed, params, versionBits) & ~active };
      }
      this.#rules.set(closed, rules);
      if (slicer.due) await slicer.pause();
    }
    if (rules !== undefined) this.#reportRules(rules);
  }

  #reportRules({ lockedIn, active }: Rules): void {
    for (const bit of bitsOf(lockedIn & ~this.#reported.lockedIn)) {
      this.#log.warn(`Miners have agreed on new rules that this version does not know (versionbit ${bit}); look for a newer one.`);
    }
    for (const bit of bitsOf(active & ~this.#reported.active)) {
      this.#text = `${this.#words} new rules activated (versionbit ${bit})`;
      this.#log.warn(this.#text);
      this.#alert(this.#text);
    }
    this.#reported = { lockedIn: this.#reported.lockedIn | lockedIn, active: this.#reported.active | active };
  }
}

function bitsOf(mask: number): number[] {
  return Array.from({ length: 29 }, (_, bit) => bit).filter((bit) => ((mask >>> bit) & 1) === 1);
}

// Watches for rules that miners have activated and this version does not know (BIP-0009, BIP-0323). The operator is warned when
// they are locked in. Once they are active, getmininginfo, getnetworkinfo and -alertnotify report them.
import type { ChainView } from '../chain/index.js';
import type { HeaderContext } from '../consensus/header-context.js';
import { periodEnd, unknownVotes } from '../consensus/rules/versionbits.js';
import { TimeSlice } from '../lib/time-slice.js';
import type { Logger } from '../log/logger.js';
import { type Compat, follows } from '../policy/compat.js';

/** Unknown rules in the period after a block, as masks of version bits. */
interface Rules {
  readonly lockedIn: number;
  readonly active: number;
}

const NONE: Rules = { lockedIn: 0, active: 0 };
/** Bits 0 to 28. */
const BIP9_SIGNALS = 0x1fffffff;
/** Bits 0 to 4; miners use bits 5 to 28 as a nonce. */
const BIP323_SIGNALS = 0x1f;

/** Follows the tip and warns once for each bit. */
export class RuleWatch {
  /** Unknown rules, by the last block of the version bits period before them. */
  readonly #rules = new WeakMap<HeaderContext, Rules>();
  #reported = NONE;
  #text = '';
  #checking = false;
  readonly #chain: Pick<ChainView, 'tip' | 'params' | 'versionBits' | 'isInitialBlockDownload'>;
  readonly #log: Logger;
  readonly #alert: (text: string) => void;

  readonly #words: string;
  /** Mask of the version bits that count as signals. */
  readonly #signals: number;

  /**
   * @param alert runs -alertnotify
   * @param compat decides which bits are signals, and the words of the warning
   */
  constructor(
    chain: Pick<ChainView, 'tip' | 'params' | 'versionBits' | 'isInitialBlockDownload'>,
    log: Logger,
    alert: (text: string) => void,
    compat: Compat,
  ) {
    this.#words = follows(compat, 22) ? 'Unknown' : 'Warning: unknown';
    this.#signals = follows(compat, 32) ? BIP323_SIGNALS : BIP9_SIGNALS;
    this.#chain = chain;
    this.#log = log;
    this.#alert = alert;
  }

  /** Text for `warnings` of getmininginfo and other calls; empty if there is none. */
  get text(): string {
    return this.#text;
  }

  /** Called after a tip change. The first check covers all periods, in slices. Later checks usually cover at most one period. */
  onTip(): void {
    if (this.#checking || this.#chain.isInitialBlockDownload()) return;
    this.#checking = true;
    this.#checkRules()
      .catch((error: Error) => this.#log.error(`Could not check for unknown new rules: ${error.message}`))
      .finally(() => {
        this.#checking = false;
      });
  }

  async #checkRules(): Promise<void> {
    const slice = new TimeSlice();
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
      // Votes of the first period do not count: no rule has started yet.
      if (rules === undefined) rules = NONE;
      else {
        const active: number = rules.active | rules.lockedIn;
        rules = { active, lockedIn: unknownVotes(closed, params, versionBits) & this.#signals & ~active };
      }
      this.#rules.set(closed, rules);
      if (slice.over) await slice.next();
    }
    if (rules !== undefined) this.#reportRules(rules);
  }

  #reportRules({ lockedIn, active }: Rules): void {
    for (const bit of bitsOf(lockedIn & ~this.#reported.lockedIn)) {
      this.#log.warn(
        `Miners have locked in new rules that this version does not know (versionbit ${bit}). Upgrade adit before they activate.`,
      );
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

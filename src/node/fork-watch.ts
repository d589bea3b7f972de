// Watches for an invalid chain that is much longer than the best chain. Either the database of this node is damaged, or
// its rules differ from those of its peers. Core: CheckForkWarningConditions.
import type { BlockReader, ChainView } from '../chain/index.js';
import { blockProof } from '../consensus/rules/bits.js';
import type { Logger } from '../log/logger.js';
import { type Compat, follows } from '../policy/compat.js';

const FOUND =
  'Warning: Found invalid chain more than 6 blocks longer than our best chain. This could be due to database corruption or consensus incompatibility with peers.';
const FOUND_BY_21 = 'Warning: We do not appear to fully agree with our peers! You may need to upgrade, or other nodes may need to upgrade.';
/** Number of blocks at the difficulty of the tip by which the invalid chain must be longer. */
const LEAD_BLOCKS = 6n;

interface WatchedChain {
  readonly view: Pick<ChainView, 'tip' | 'isInitialBlockDownload'>;
  readonly blocks: Pick<BlockReader, 'bestInvalid'>;
}

/** Warns while such a chain is known. */
export class ForkWatch {
  #found = false;
  readonly #warning: string;
  readonly #chain: WatchedChain;
  readonly #log: Logger;
  readonly #alert: (text: string) => void;

  /** @param alert runs -alertnotify */
  constructor(chain: WatchedChain, log: Logger, alert: (text: string) => void, compat: Compat) {
    this.#chain = chain;
    this.#log = log;
    this.#alert = alert;
    this.#warning = follows(compat, 22) ? FOUND : FOUND_BY_21;
  }

  /** Compares the two chains. Logs and alerts when the condition begins. */
  checkChains(): void {
    const { view, blocks } = this.#chain;
    const { tip } = view;
    const { bestInvalid } = blocks;
    const found =
      bestInvalid !== null && bestInvalid.chainWork > tip.chainWork + LEAD_BLOCKS * blockProof(tip.bits) && !view.isInitialBlockDownload();
    if (found && !this.#found) {
      this.#log.warn(`${this.#warning} Last block of that chain: ${bestInvalid.hashHex}, height ${bestInvalid.height}.`);
      this.#alert(this.#warning);
    }
    this.#found = found;
  }

  /** Text for `warnings` of getmininginfo and other calls; empty if there is no such chain. */
  get text(): string {
    this.checkChains();
    return this.#found ? this.#warning : '';
  }
}

// What the log says about scripts of blocks being run or left out (-assumevalid): when it begins, and why, in Core's
// words.
import type { Logger } from '../../log/logger.js';
import type { HeaderNode } from '../tree/header-node.js';

/** Says when scripts begin to be run or left out, or are run for another reason. */
export class ScriptsLog {
  readonly #log: Logger;
  #last: string | null | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param reason why scripts of this block run; null: they don't */
  noteReason(node: HeaderNode, reason: string | null): void {
    if (reason === this.#last) return;
    this.#last = reason;
    const place = `script verification at block #${node.height} (${node.hashHex})`;
    this.#log.info(reason === null ? `Disabling ${place}.` : `Enabling ${place}: ${reason}.`);
  }
}

// Logs when the chain starts or stops verifying scripts (-assumevalid), with the reason, in Core's words.
import type { Logger } from '../../log/logger.js';
import type { HeaderNode } from '../tree/header-node.js';

/** Logs a line each time the reason changes. */
export class ScriptsLog {
  readonly #log: Logger;
  #last: string | null | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Logs the reason if it differs from the last one.
   * @param reason why scripts of this block are verified; null if they are skipped
   */
  noteReason(node: HeaderNode, reason: string | null): void {
    if (reason === this.#last) return;
    this.#last = reason;
    const place = `script verification at block #${node.height} (${node.hashHex})`;
    this.#log.info(reason === null ? `Disabling ${place}.` : `Enabling ${place}: ${reason}.`);
  }
}

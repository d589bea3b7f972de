// Connects the first full template of each tip dry behind its publication, as Core does with each template before it
// hands it out. By then clients work on it; should the mempool ever hold what a block can't, they mine in vain for the
// moment that the check comes later, and no longer. Each template before its publication (-checktemplates) would come
// later by the time of the check. Used by service.ts.

import type { TemplateTip } from './source.js';

/** What the audit needs of the service. */
export interface AuditWork {
  /** @returns what is wrong with the template of this tip; null when nothing is, or the tip has moved */
  check(tip: TemplateTip): Promise<Error | null>;
  /** The template breaks a rule. */
  failed(fault: Error): void;
  /** Calls back once after so many milliseconds; the result cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** What a new tip brings with it is over by then. */
const QUIET_MS = 1_000;

export class TemplateAudit {
  readonly #work: AuditWork;
  /** The last tip of which a template was published with transactions. */
  #tip: TemplateTip | null = null;
  #cancel: () => void = () => {};

  constructor(work: AuditWork) {
    this.#work = work;
  }

  /** A template with transactions was published. */
  published(tip: TemplateTip): void {
    if (tip === this.#tip) return;
    this.#tip = tip;
    this.#cancel();
    this.#cancel = this.#work.after(QUIET_MS, () => void this.#run(tip));
  }

  close(): void {
    this.#cancel();
  }

  async #run(tip: TemplateTip): Promise<void> {
    const fault = await this.#work.check(tip);
    if (fault !== null) this.#work.failed(fault);
  }
}

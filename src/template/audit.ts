// Checks the first full template of each tip by connecting its block without storing it, as Core does with each
// template before it returns it. Here the check follows a second after the publication: if the mempool ever contained
// an invalid transaction, clients would mine on an invalid template for that second. With -checktemplates each template
// is checked before it is published, which delays it by the time of the check.

import type { TemplateTip } from './source.js';

/** Functions of the template service that the audit needs. */
export interface AuditWork {
  /** Checks the template of a tip. @returns its fault; null if the template is valid, or if the tip has changed */
  check(tip: TemplateTip): Promise<Error | null>;
  /** Called if the template breaks a rule. */
  failed(fault: Error): void;
  /** Calls `run` once after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, run: () => void): () => void;
}

/** Delay of the check after the publication. The work for a new tip is finished by then. */
const QUIET_MS = 1_000;

export class TemplateAudit {
  readonly #work: AuditWork;
  /** The last tip for which a template with transactions was published. */
  #tip: TemplateTip | null = null;
  #cancel: () => void = () => {};

  constructor(work: AuditWork) {
    this.#work = work;
  }

  /** Called after a template with transactions was published. */
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

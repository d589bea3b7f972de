// The assembler on the calling thread, for tests and small machines.

import { type AssembleDeps, type AssembleRunner, createAssembleRunner } from '../jobs/assemble.js';
import type { AssembleReply, AssembleRequest, ImproveResult } from '../jobs/assemble-messages.js';
import type { Assembler } from './assembler.js';

export class InlineAssembler implements Assembler {
  readonly #runner: AssembleRunner;

  constructor(deps: AssembleDeps) {
    this.#runner = createAssembleRunner(deps);
  }

  async assemble(request: AssembleRequest): Promise<AssembleReply> {
    return this.#runner.assemble(request);
  }

  async improve(ms: number): Promise<ImproveResult> {
    return this.#runner.improve(ms);
  }

  async close(): Promise<void> {}
}

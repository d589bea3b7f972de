// The assembler on the calling thread.

import { type AssembleDeps, type AssembleRunner, createAssembleRunner } from '../../src/jobs/assemble.js';
import type { AssembleReply, AssembleRequest, ImproveResult } from '../../src/jobs/assemble-messages.js';
import type { Assembler } from '../../src/parallel/assembler.js';

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

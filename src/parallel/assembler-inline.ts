// The assembler on the calling thread: for tests and for machines where a thread more is one too many.

import { type AssembleDeps, createAssembleRunner } from '../jobs/assemble.js';
import type { AssembleReply, AssembleRequest } from '../jobs/assemble-messages.js';
import type { Assembler } from './assembler.js';

export class InlineAssembler implements Assembler {
  readonly #run: (request: AssembleRequest) => AssembleReply;

  constructor(deps: AssembleDeps) {
    this.#run = createAssembleRunner(deps);
  }

  async assemble(request: AssembleRequest): Promise<AssembleReply> {
    return this.#run(request);
  }

  async close(): Promise<void> {}
}

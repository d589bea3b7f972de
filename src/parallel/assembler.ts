// Interface of the assembler, which orders the mempool and encodes templates. Implemented on the calling thread and on
// a thread of its own; one test suite covers both (test/unit/template/assembler.test.ts).
import type { AssembleReply, AssembleRequest, ImproveResult } from '../jobs/assemble-messages.js';

/** Orders the mirrored mempool. Requests are answered in the order in which they were made. */
export interface Assembler {
  /** Updates the mirror, then selects and encodes transactions. The task begins before this call returns if no other task waits. */
  assemble(request: AssembleRequest): Promise<AssembleReply>;
  /** Improves the orders of clusters. @param ms longest time */
  improve(ms: number): Promise<ImproveResult>;
  close(): Promise<void>;
}

// The contract of the room that orders the mempool and encodes templates: one implementation on the calling thread, one
// on a thread of its own, and one suite over both (test/unit/template/assembler.test.ts).
import type { AssembleReply, AssembleRequest, ImproveResult } from '../jobs/assemble-messages.js';

/** Orders the mirrored mempool. Requests are answered in the order they were given. */
export interface Assembler {
  /** Begins before it returns when nothing is before it. */
  assemble(request: AssembleRequest): Promise<AssembleReply>;
  /** Uses an idle moment for better orders of clusters. @param ms at most so long */
  improve(ms: number): Promise<ImproveResult>;
  close(): Promise<void>;
}

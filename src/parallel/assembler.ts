// The contract of the room that orders the mempool and encodes templates: one implementation on the calling thread, one on a thread
// of its own, and one suite over both (test/unit/template/assembler.test.ts).
import type { AssembleReply, AssembleRequest } from '../jobs/assemble-messages.js';

/** Orders the mirrored mempool. Requests are answered in the order they were given. */
export interface Assembler {
  assemble(request: AssembleRequest): Promise<AssembleReply>;
  close(): Promise<void>;
}

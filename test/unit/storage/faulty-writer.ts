// A thread whose writer refuses empty batches, answers batches of two twice and those of three never, and ends the
// thread at a removal: test/unit/storage/write-thread.test.ts.
import { MessagePort, parentPort } from 'node:worker_threads';
import { serveWrites } from '../../../src/storage/write-thread.js';

/** Answers the next message twice. */
function answerTwice(): void {
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (this: MessagePort, ...message: Parameters<typeof postMessage>) {
    MessagePort.prototype.postMessage = postMessage;
    postMessage.apply(this, message);
    postMessage.apply(this, message);
  };
}

serveWrites(
  async () => ({
    write: async (ops) => {
      if (ops.length === 2) answerTwice();
      if (ops.length === 3) await new Promise(() => {});
      if (ops.length === 0) throw new Error('IO error: No space left on device');
    },
    clear: async () => process.exit(3),
    close: async () => {},
  }),
  parentPort as MessagePort,
);

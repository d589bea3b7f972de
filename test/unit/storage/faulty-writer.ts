// A thread whose writer refuses empty batches and ends the thread at a removal: test/unit/storage/write-thread.test.ts.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { serveWrites } from '../../../src/storage/write-thread.js';

serveWrites(
  async () => ({
    write: async (ops) => {
      if (ops.length === 0) throw new Error('IO error: No space left on device');
    },
    clear: async () => process.exit(3),
    close: async () => {},
  }),
  parentPort as MessagePort,
);

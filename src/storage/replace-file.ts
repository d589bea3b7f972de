// Replaces a file atomically, for small files of state next to the database (saved mempool, fee estimates). Fails after
// stopWriting.
import { replaceFile as replace } from '../lib/durable-file.js';
import { assertWriting } from './write-stop.js';

/** Replaces a file; see lib/durable-file.ts. */
export async function replaceFile(...args: Parameters<typeof replace>): Promise<void> {
  assertWriting(`write ${args[0]}`);
  await replace(...args);
}

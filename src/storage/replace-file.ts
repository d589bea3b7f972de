// Replaces a file as a whole, for small records of state beside the database (saved pool, fee estimates), unless
// writing was stopped.
import { replaceFile as replace } from '../lib/durable-file.js';
import { assertWriting } from './write-stop.js';

/** As in lib/durable-file.ts. */
export async function replaceFile(...args: Parameters<typeof replace>): Promise<void> {
  assertWriting(`write ${args[0]}`);
  await replace(...args);
}

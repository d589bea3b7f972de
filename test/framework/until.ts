// Waits for events that a test has caused. Only a failing test waits for the whole timeout, which is long enough for
// machines with other load.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Longest wait for any event, in milliseconds. Longer waits mean that something hangs, however busy the machine is.
 * Runs in which tests are expected to fail (mutants) set a shorter time.
 */
export const PATIENCE_MS = Number(process.env.ADIT_TEST_PATIENCE_MS ?? 600_000);

/** Waits until a condition holds. @throws after the timeout, with the name of the condition */
export async function until(what: string, check: () => boolean | Promise<boolean>, everyMs = 25): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(everyMs)) {
    if (await check()) return;
    if (Date.now() > end) throw new Error(`did not happen: ${what}`);
  }
}

// Waits for events that a test has caused. Only a failing test waits for the whole timeout, which is long enough for
// machines with other load.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Longest wait for any event, in milliseconds. Longer waits mean that something hangs, however busy the machine is.
 * Runs in which tests are expected to fail (mutants) set a shorter time.
 */
export const PATIENCE_MS = Number(process.env.ADIT_TEST_PATIENCE_MS ?? 600_000);

/**
 * Waits until a condition holds. Counts the waits instead of the time, so that a process that gets no processor checks as
 * often as any other.
 * @throws after the timeout, with the name of the condition
 */
export async function until(what: string, check: () => boolean | Promise<boolean>, everyMs = 25): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += everyMs) {
    if (await check()) return;
    if (waitedMs > PATIENCE_MS) throw new Error(`did not happen: ${what}`);
    await sleep(everyMs);
  }
}

// Waits for what a test has brought about. The patience is for machines with much other work: it costs time only where
// a test fails.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How long anything may take that a test waits for, in milliseconds: only what hangs takes longer, on however busy a
 * machine. Less where tests are expected to fail (mutants).
 */
export const PATIENCE_MS = Number(process.env.ADIT_TEST_PATIENCE_MS ?? 600_000);

/** Waits until something is so. @throws when the patience is over, naming it */
export async function until(what: string, check: () => boolean | Promise<boolean>, everyMs = 25): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(everyMs)) {
    if (await check()) return;
    if (Date.now() > end) throw new Error(`did not happen: ${what}`);
  }
}

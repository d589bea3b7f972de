// Waiting for something that a process will do in its own time.
import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until it is so. @throws Error after a minute */
export async function until(what: string, check: () => Promise<boolean> | boolean, timeoutMs = 60_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(50)) if (await check()) return;
  throw new Error(`not in ${timeoutMs / 1000} s: ${what}`);
}

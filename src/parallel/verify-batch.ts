// What both verifiers do alike with a batch: number it, and make one verdict of the results of its jobs.

import type { VerifyJobResult } from '../jobs/verify.js';
import type { VerifyResult } from './verifier.js';

let lastSerial = 0;

/** A number that no batch of the last two thousand million had, for jobs/slab.ts. */
export function nextBatchSerial(): number {
  lastSerial = (lastSerial + 1) & 0x7fffffff;
  return lastSerial;
}

/** The verdict: the lowest failure of all. Threads never skip a check below a known failure, so it does not depend on timing. */
export function foldResults(results: readonly VerifyJobResult[]): VerifyResult {
  let lowest: VerifyJobResult | null = null;
  let checked = 0;
  let cpuMs = 0;
  let stopped = false;
  for (const result of results) {
    checked += result.checked;
    cpuMs += result.endMs - result.startMs;
    if (result.stopped) stopped = true;
    if (result.failedCheck >= 0 && (lowest === null || result.failedCheck < lowest.failedCheck)) lowest = result;
  }
  // A stop may have hidden a lower failure, so the one at hand is not told.
  if (stopped) return { ok: false, failedTx: -1, failedInput: -1, scriptError: 0, stopped, checked, jobs: results.length, cpuMs };
  return {
    ok: lowest === null,
    failedTx: lowest?.failedTx ?? -1,
    failedInput: lowest?.failedInput ?? -1,
    scriptError: lowest?.scriptError ?? 0,
    stopped,
    checked,
    jobs: results.length,
    cpuMs,
  };
}

// Stops jobs on other threads when a signal is aborted.
import { JOB_WORD, type JobWords } from '../reads/coin-job.js';

/** Stops a job when one of the signals is aborted. @returns function that removes the listeners */
export function stopJob(words: JobWords, ...signals: readonly (AbortSignal | undefined)[]): () => void {
  const stop = (): void => {
    Atomics.store(words, JOB_WORD.STOP, 1);
  };
  for (const signal of signals) {
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  }
  return () => {
    for (const signal of signals) signal?.removeEventListener('abort', stop);
  };
}

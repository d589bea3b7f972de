// A log for modules whose lines peers can cause. Limits the number of lines, and logs how many were omitted. Details
// (debug) are not limited, because the operator enabled their category.
import type { Logger } from './logger.js';

/** Lines that may be logged at once, and lines per second after that. */
const BURST = 200;
const PER_SECOND = 2;

/** Wraps a log. @param nowMs a monotonic clock, in milliseconds */
export function limitedLog(log: Logger, nowMs: () => number): Logger {
  let budget = BURST;
  let at = nowMs();
  let leftOut = 0;
  const limited =
    (write: (message: string) => void) =>
    (message: string): void => {
      const now = nowMs();
      budget = Math.min(BURST, budget + ((now - at) / 1_000) * PER_SECOND);
      at = now;
      if (budget < 1) {
        leftOut++;
        return;
      }
      budget--;
      if (leftOut > 0) {
        log.info(`Omitted ${leftOut} lines about peers, because there were too many.`);
        leftOut = 0;
      }
      write(message);
    };
  return {
    info: limited((message) => log.info(message)),
    warn: limited((message) => log.warn(message)),
    error: limited((message) => log.error(message)),
    debug: (category, message) => log.debug(category, message),
    shows: (category) => log.shows(category),
  };
}

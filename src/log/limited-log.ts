// A log for rooms whose lines strangers can cause: so many at once, then so many a second; what is left out is counted
// and told. Details (debug) are shown in full, since the operator asked for them.
import type { Logger } from './logger.js';

/** Lines at once, and lines a second after that. */
const BURST = 200;
const PER_SECOND = 2;

/** @param nowMs a monotonic clock's milliseconds */
export function limitedLog(log: Logger, nowMs: () => number): Logger {
  let room = BURST;
  let at = nowMs();
  let leftOut = 0;
  const limited =
    (write: (message: string) => void) =>
    (message: string): void => {
      const now = nowMs();
      room = Math.min(BURST, room + ((now - at) / 1_000) * PER_SECOND);
      at = now;
      if (room < 1) {
        leftOut++;
        return;
      }
      room--;
      if (leftOut > 0) {
        log.info(`${leftOut} lines about peers were left out: there are too many of them`);
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

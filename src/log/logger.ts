// Interface through which modules log. create-logger.ts implements it in the format of Core's debug.log.

/** Receives log lines. Never log keys, passphrases, or cookies. */
export interface Logger {
  /** Logs a rare event that interests every operator. */
  info(message: string): void;
  /** Logs a problem on which the operator should act. */
  warn(message: string): void;
  /** Logs a failure; the node may be about to stop. */
  error(message: string): void;
  /**
   * Logs a detail, which is shown if its category is on (Core's names: net, mempool, http, rpc, validation, coindb,
   * ...).
   */
  debug(category: string, message: string): void;
  /** Returns whether the log shows details of a category. Callers ask before they build an expensive line. */
  shows(category: string): boolean;
}

/** Discards all lines: for tests and library use. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {}, debug() {}, shows: () => false };

// What every room above the pure wall may say to the operator. The implementation (pino, Core's debug.log) lives beside
// it.

/** A place for log lines. Never pass keys, passphrases or cookies. */
export interface Logger {
  /** Rare, of interest to every operator. */
  info(message: string): void;
  /** The operator should act. */
  warn(message: string): void;
  /** Something is broken; the node may be about to stop. */
  error(message: string): void;
  /** Detail, shown when its category (Core's names: net, mempool, http, rpc, validation, coindb, ...) is on. */
  debug(category: string, message: string): void;
  /** Whether details of a category are shown: for those who would make many lines for nothing. */
  shows(category: string): boolean;
}

/** Says nothing: for tests and library use. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {}, debug() {}, shows: () => false };

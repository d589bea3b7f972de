// Logs which clients submit coinbases that BIP-0054 will not allow. Each client is logged once: the operator has to
// change the software that makes its coinbases.
import { checkCoinbaseLock, coinbaseLock } from '../consensus/rules/cleanup/coinbase-lock.js';
import { checkTransactionSize } from '../consensus/rules/cleanup/transaction-size.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Logger } from '../log/logger.js';

/** Maximum number of clients that are logged. The coinbases of further clients are not checked. */
const MAX_CLIENTS = 256;

export class CoinbaseWatch {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #reported = new Set<string>();

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /**
   * Checks the coinbase of a client's block, whatever the verdict on the block.
   * @param client name for the log: the RPC user, or the address of a Stratum V2 connection
   * @param height of the block
   */
  checkSubmitted(client: string, coinbase: TxView, height: number): void {
    if (this.#reported.has(client) || this.#reported.size >= MAX_CLIENTS) return;
    const fault = checkCoinbaseLock(coinbase, height) ?? checkTransactionSize(coinbase);
    if (fault === null) return;
    this.#reported.add(client);
    const { locktime, sequence } = coinbaseLock(height);
    this.#log.warn(
      `${client} submitted a coinbase at height ${height} that BIP54 (consensus cleanup) will not allow: locktime ${coinbase.locktime} ` +
        `instead of ${locktime}, sequence ${coinbase.sequence(0)} (${sequence} complies), ${coinbase.strippedSize} bytes. Such blocks become ` +
        'invalid when it activates; getblocktemplate with the rule "consensuscleanup" returns the values to use.',
    );
  }
}

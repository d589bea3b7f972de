// Guesses how much of the network's history is verified, by transactions (Core's GuessVerificationProgress).

import type { ChainName, ChainParams } from '../../consensus/params/chain-params.js';
import type { HeaderNode } from './header-node.js';

/** What was known of a network when its parameters were written. */
interface NetworkActivity {
  /** Seconds. */
  readonly time: number;
  /** Transactions up to then. */
  readonly transactions: number;
  /** Transactions per second after it. */
  readonly rate: number;
}

const QUIET: NetworkActivity = { time: 0, transactions: 0, rate: 0 };

/** The figures of Core 0.21; testnet4's of a later version. */
const ACTIVITY: Readonly<Record<ChainName, NetworkActivity>> = {
  main: { time: 1603995752, transactions: 582083445, rate: 3.508976121410527 },
  test: { time: 1603359686, transactions: 58090238, rate: 0.1232886622799463 },
  testnet4: { time: 1723651702, transactions: 757229, rate: 0.01570402633472492 },
  signet: { time: 1603986000, transactions: 9582, rate: 0.00159272030651341 },
  regtest: QUIET,
};

/** @param nowSeconds the machine's clock, never mocked @returns 0 to 1 */
export function verificationProgress(node: HeaderNode, params: ChainParams, nowSeconds: number): number {
  // A custom signet is its own network, of which nothing is known.
  const custom = params.name === 'signet' && params.assumeValid === null;
  const activity = custom ? QUIET : ACTIVITY[params.name];
  const known = node.chainTxCount <= activity.transactions;
  const total = known
    ? activity.transactions + (nowSeconds - activity.time) * activity.rate
    : node.chainTxCount + (nowSeconds - node.time) * activity.rate;
  return Math.min(node.chainTxCount / total, 1);
}

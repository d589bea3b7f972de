// Run functions of methods of wallets, wrapped with the locks that their declarations require.

import type { WalletContext, WalletRun } from '../context/wallet.js';
import { METHODS } from '../declare/methods.js';
import type { RunTable } from '../dispatch.js';
import { WALLET_RUNS as RUNS } from '../methods/wallet-runs.js';
import { holding, refusing } from './select.js';

function guarded(name: string, run: WalletRun): WalletRun {
  const holds = METHODS.get(name)?.holds;
  return holds === undefined ? run : refusing(holding(run, holds));
}

/** Run functions by method name. */
export const WALLET_RUNS: RunTable<WalletContext> = Object.fromEntries(
  Object.entries(RUNS).map(([name, run]) => [name, guarded(name, run)]),
);

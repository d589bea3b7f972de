// Run functions of methods of wallets, wrapped with the locks that their declarations require.

import type { WalletContext } from '../context/wallet.js';
import { METHODS } from '../declare/methods.js';
import type { Run, RunTable } from '../dispatch.js';
import * as RUNS from '../methods/wallet-runs.js';
import { holding, refusing } from './select.js';

function guarded(name: string, run: Run<WalletContext>): Run<WalletContext> {
  const holds = METHODS.get(name)?.holds;
  return holds === undefined ? run : refusing(holding(run, holds));
}

/** Run functions by method name. */
export const WALLET_RUNS: RunTable<WalletContext> = Object.fromEntries(
  Object.entries(RUNS).map(([name, run]) => [name, guarded(name, run as Run<WalletContext>)]),
);

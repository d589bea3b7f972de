// The run functions of the wallets' calls, each with what its declaration says it relies on.

import type { WalletContext, WalletRun } from '../context/wallet.js';
import { METHODS } from '../declare/methods.js';
import type { RunTable } from '../dispatch.js';
import { WALLET_RUNS as RUNS } from '../methods/wallet-runs.js';
import { followed, refusing, usingKeys } from './select.js';

function guarded(name: string, run: WalletRun): WalletRun {
  switch (METHODS.get(name)?.holds) {
    case 'keys':
      return refusing(usingKeys(followed(run)));
    case 'wallet':
      return refusing(followed(run));
    default:
      return run;
  }
}

/** By name of the method. */
export const WALLET_RUNS: RunTable<WalletContext> = Object.fromEntries(
  Object.entries(RUNS).map(([name, run]) => [name, guarded(name, run)]),
);

// A wallet manager in a folder of the test, on a chain with a single block.
import type { WalletSurroundings } from '../../src/wallet/manage/load-wallet.js';
import type { NewWallet } from '../../src/wallet/manage/make-wallet.js';
import { type ManagerDeps, WalletManager } from '../../src/wallet/manage/wallet-manager.js';
import type { BlockFacts } from '../../src/wallet/node-client.js';
import type { WalletOptions } from '../../src/wallet/options.js';
import { clientOf } from './chain-client.js';

/** Options of createwallet without any option. */
export const PLAIN_WALLET: Omit<NewWallet, 'name'> = {
  disablePrivateKeys: false,
  blank: false,
  passphrase: null,
  avoidReuse: false,
  descriptors: false,
  signer: null,
};

export interface WantedManager {
  readonly dir: string;
  readonly surroundings: WalletSurroundings;
  readonly tip: BlockFacts;
  readonly options?: Partial<WalletOptions>;
  readonly deps?: Partial<ManagerDeps>;
}

export function managerIn({ dir, surroundings, tip, options, deps }: WantedManager): WalletManager {
  return new WalletManager({
    surroundings: { ...surroundings, options: { ...surroundings.options, dir, ...options } },
    client: clientOf({ tip }),
    log: { info() {}, warn() {}, error() {} },
    stopping: new AbortController().signal,
    warnings: [],
    onLoaded: async () => {},
    onNames() {},
    setLoadOnStart() {},
    ...deps,
  });
}

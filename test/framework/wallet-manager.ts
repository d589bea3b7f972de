// A manager of wallets in a folder of the test's, on a chain that is one block.
import type { WalletSurroundings } from '../../src/wallet/manage/load-wallet.js';
import { type ManagerDeps, type NewWallet, WalletManager } from '../../src/wallet/manage/wallet-manager.js';
import type { WalletBlock, WalletChain, WalletOptions } from '../../src/wallet/source.js';

/** What createwallet makes without options. */
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
  readonly tip: WalletBlock;
  readonly options?: Partial<WalletOptions>;
  readonly deps?: Partial<ManagerDeps>;
}

export function managerIn({ dir, surroundings, tip, options, deps }: WantedManager): WalletManager {
  return new WalletManager({
    surroundings: { ...surroundings, options: { ...surroundings.options, dir, ...options } },
    chain: { tip, node: () => tip, atHeight: () => tip, contains: () => true } as unknown as WalletChain,
    pool: { entries: () => [], get: () => undefined },
    scanner: null,
    filters: null,
    log: { info() {}, warn() {} },
    stopping: new AbortController().signal,
    warnings: [],
    onLoaded: async () => {},
    setLoadOnStart() {},
    ...deps,
  });
}

// Wires the wallet room to chain, mempool and clock. Called by start.
import type { DescriptorContext } from '../address/descriptor/context.js';
import type { Chain } from '../chain/chain.js';
import { updateSettingsList } from '../config/settings-file.js';
import { isFinalTx } from '../consensus/rules/locks.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';
import type { Mempool } from '../mempool/mempool.js';
import { WalletManager } from '../wallet/manage/wallet-manager.js';
import type { WalletOptions } from '../wallet/source.js';

export interface WalletWiring {
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly descriptors: DescriptorContext;
  readonly log: Logger;
  readonly stopping: AbortSignal;
  /** settings.json, undefined with -nosettings. */
  readonly settingsFile: string | undefined;
  /** A wallet's changes cannot be written: the node stops. */
  readonly onFault: (fault: Error) => void;
}

export function createWallets(options: WalletOptions, wiring: WalletWiring): WalletManager {
  const { chain, mempool, crypto, clock, descriptors, log, stopping, onFault, settingsFile } = wiring;
  const manager = new WalletManager({
    chain,
    pool: mempool,
    log,
    stopping,
    setLoadOnStart: (name, load) => {
      if (settingsFile === undefined) return;
      updateSettingsList(settingsFile, 'wallet', (list) => (load ? [...new Set([...list, name])] : list.filter((entry) => entry !== name)));
    },
    surroundings: {
      crypto,
      options,
      context: descriptors,
      now: () => clock.nowSeconds(),
      isFinal: (tx) => isFinalTx(tx, chain.tip.height + 1, clock.nowSeconds()),
      onFault: (error) => {
        const text = error instanceof Error ? error.message : String(error);
        log.error(`A wallet could not be written: ${text}. The node stops.`);
        onFault(error instanceof Error ? error : new Error(text));
      },
      onTransaction: () => {},
    },
  });
  chain.onTip((_tip, change) => manager.onTip(change));
  mempool.listen({
    added: (entry) => manager.onPoolAdded(entry.tx),
    removed: (entry, reason) => manager.onPoolRemoved(entry.tx, reason),
    changed() {},
  });
  return manager;
}

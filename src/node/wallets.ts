// Creates the wallet manager of a thread with its dependencies.

import type { DescriptorContext } from '../address/descriptor/context.js';
import { updateSettingsList } from '../config/index.js';
import { isFinalTx } from '../consensus/rules/locks.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';
import { Hooks } from '../notify/index.js';
import {
  createImageFiles,
  DEFAULT_IMAGES,
  type NodeClient,
  optionWarnings,
  reacceptTransactions,
  type SpendTools,
  TX_STATE,
  type Wallet,
  WalletManager,
  type WalletOptions,
} from '../wallet/index.js';

export interface WalletWiring {
  readonly client: NodeClient;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly descriptors: DescriptorContext;
  readonly log: Logger;
  readonly stopping: AbortSignal;
  /** Tools for payments. */
  readonly spend: SpendTools;
  /** Path of settings.json; undefined with -nosettings. */
  readonly settingsFile: string | undefined;
  /** Called when a wallet fails; WalletManager loads it again. */
  readonly onFault: (name: string, error: unknown) => void;
  /** See ManagerDeps. */
  readonly onNames: (names: readonly string[]) => void;
}

/** Limits of -walletnotify: few commands at once and many that wait, because a rescan finds many transactions. */
const NOTICE_LIMITS = { quick: 8, waiting: 100_000 };

/** Quotes a text as one shell word. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

/**
 * Returns the command of -walletnotify for a record: %s is its txid, %w the wallet's name, %b and %h the block's hash
 * and height.
 */
export function walletNotice(command: string, wallet: Wallet, row: number): string {
  const { txs } = wallet.ledger;
  const confirmed = txs.state(row) === TX_STATE.CONFIRMED;
  const values: Record<string, string> = {
    s: Buffer.from(txs.txid(row)).reverse().toString('hex'),
    b: confirmed ? Buffer.from(txs.blockHash(row)).reverse().toString('hex') : 'unconfirmed',
    h: confirmed ? String(txs.height(row)) : '-1',
  };
  // Quoting differs in the Windows shell, so %w is not replaced there.
  if (process.platform !== 'win32') values.w = shellWord(wallet.name);
  return command.replace(/%([sbhw])/g, (whole, name: string) => values[name] ?? whole);
}

export async function createWallets(options: WalletOptions, wiring: WalletWiring): Promise<WalletManager> {
  const { client, crypto, clock, descriptors, log, stopping, onFault, onNames, settingsFile, spend } = wiring;
  const hooks = new Hooks(log, NOTICE_LIMITS);
  const manager = new WalletManager({
    client,
    log,
    stopping,
    warnings: optionWarnings(options.spend, (await client.rates()).relayMinimum),
    onNames,
    onLoaded: (wallet) => reacceptTransactions(wallet, spend),
    setLoadOnStart: (name, load) => {
      if (settingsFile === undefined) return;
      updateSettingsList(settingsFile, 'wallet', (list) => (load ? [...new Set([...list, name])] : list.filter((entry) => entry !== name)));
    },
    surroundings: {
      crypto,
      options,
      ...(options.imageRows > 0 ? { images: { ...DEFAULT_IMAGES, files: createImageFiles, leastRows: options.imageRows, log } } : {}),
      context: descriptors,
      now: () => clock.nowSeconds(),
      isFinal: (tx) => isFinalTx(tx, client.tip.height + 1, clock.nowSeconds()),
      onFault: (error, wallet) => onFault(wallet.name, error),
      onTransaction: (wallet, row) => {
        if (options.notifyCommand) hooks.run('walletnotify', walletNotice(options.notifyCommand, wallet, row));
      },
    },
  });
  // Running commands continue without the node. Waiting ones are dropped, as in Core.
  stopping.addEventListener('abort', () => hooks.close(), { once: true });
  return manager;
}

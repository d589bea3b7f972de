// Options of the wallet module.
import type { AddressType } from './keys/key-source.js';
import type { SpendOptions } from './spend/options.js';

/** Options of the wallet module, with Core's defaults. */
export interface WalletOptions {
  readonly enabled: boolean;
  /** True if clients may call removeprunedfunds. In release 32 this needs -deprecatedrpc. */
  readonly removesRecords: boolean;
  /** Folder of all wallets. */
  readonly dir: string;
  /** Wallets to load at the start: -wallet and the list in settings.json. */
  readonly names: readonly string[];
  /**
   * True if neither -wallet nor settings.json has a list of wallets (an empty list counts as one). Then the unnamed
   * wallet is loaded if it exists.
   */
  readonly unnamed: boolean;
  readonly keypool: number;
  /** True if createwallet makes descriptor wallets by default, as Core does since release 23. */
  readonly descriptorWallets: boolean;
  /** True if a new seed of a descriptor wallet also gets taproot descriptors, as in Core since release 23. */
  readonly taprootSeeds: boolean;
  /**
   * True for the wallet records of Core 25 and later: a coinbase whose block left the chain is abandoned with its
   * descendants. Addresses that payments skipped get the empty label. Records from a scan have the time of their block,
   * and a scan also reads the mempool. Since release 32, a record has the witness from its block, not the one that was
   * seen first.
   */
  readonly laterRecords: boolean;
  readonly addressType: AddressType;
  readonly changeType: AddressType | undefined;
  /**
   * A wallet stores an image of its tables if the number of its scripts, transactions and coins reaches this value
   * (-walletimage); 0: never.
   */
  readonly imageRows: number;
  readonly spendZeroConfChange: boolean;
  /** True if payments are sent to the mempool and the peers (-walletbroadcast). */
  readonly walletBroadcast: boolean;
  readonly spend: SpendOptions;
  /** -rescan: scan past blocks whenever a wallet is loaded. */
  readonly rescan: boolean;
  /** Command of the external signer (-signer). */
  readonly signerCommand: string | undefined;
  /** Command to run for each changed transaction (-walletnotify). */
  readonly notifyCommand: string | undefined;
}

/**
 * Wallet options for operators, except those for spending (spend/options.ts). The config module resolves the folder of
 * the wallets.
 */
export const WALLET_ROWS = {
  disabled: ['disablewallet', 'bool', 'Disable wallets and their calls'],
  names: ['wallet', 'list', 'Name of a wallet to load at the start. Can be given several times'],
  dir: ['walletdir', 'string', 'The folder of all wallets (default: wallets in the network folder)'],
  addressType: [
    'addresstype',
    'filled',
    'Address type of getnewaddress: legacy, p2sh-segwit, bech32 or bech32m (not with -compat=0.21.1). With bech32m createwallet makes descriptor wallets',
    'bech32',
  ],
  changeType: [
    'changetype',
    'filled',
    'Address type of change: legacy, p2sh-segwit, bech32 or bech32m, as for -addresstype (default: chosen for each payment)',
  ],
  keypool: ['keypool', 'int', 'Number of keys that the wallet generates before they are needed', 1000, { least: 0 }],
  imageRows: [
    'walletimage',
    'int',
    'A wallet with this many scripts, transactions and coins stores an image of its tables, which loads quickly. 0: no wallet does',
    50_000,
    { least: 0 },
  ],
  rescan: ['rescan', 'bool', 'Scan past blocks for transactions of a wallet whenever it is loaded', false],
  spendZeroConfChange: ['spendzeroconfchange', 'bool', 'Spend unconfirmed change, and include it in the balance', true],
  signerCommand: [
    'signer',
    'filled',
    'Command that communicates with external signers, such as hardware wallets, with its arguments separated by spaces',
  ],
  notifyCommand: [
    'walletnotify',
    'string',
    'Run this command when a transaction of a wallet changes. %s is the transaction id, %w the wallet, %b and %h the hash and height of the block',
  ],
  walletBroadcast: ['walletbroadcast', 'bool', 'Send payments to the mempool and to peers (default: 1, with -blocksonly 0)'],
} as const;

// Settings of the wallet room.
import type { AddressType } from './keys/key-source.js';
import type { SpendOptions } from './spend/options.js';

/** Settings of the wallet room, with Core's defaults. */
export interface WalletOptions {
  readonly enabled: boolean;
  /** Whether removeprunedfunds is there: release 32 wants -deprecatedrpc for it. */
  readonly removesRecords: boolean;
  /** Folder of all wallets. */
  readonly dir: string;
  /** To load at the start: -wallet and the list of settings.json. */
  readonly names: readonly string[];
  /** Nothing says which to load, not even that it is none: the wallet without a name is, where there is one. */
  readonly unnamed: boolean;
  readonly keypool: number;
  /** Whether createwallet makes a descriptor wallet by default, as since release 23. */
  readonly descriptorWallets: boolean;
  /** A new seed of descriptors gives out taproot addresses too, as since release 23. */
  readonly taprootSeeds: boolean;
  /**
   * As since release 25: a coinbase whose block left the chain is abandoned with all that spends it, addresses that a
   * payment to a later one passes over get the empty label, what a scan finds has its block's time, and it looks at the
   * mempool too. As since release 32: a record has the witness of its block, not the one that was seen first.
   */
  readonly laterRecords: boolean;
  readonly addressType: AddressType;
  readonly changeType: AddressType | undefined;
  /**
   * Scripts, transactions and coins from which on a wallet keeps an image of its tables (-walletimage); 0: none does.
   */
  readonly imageRows: number;
  readonly spendZeroConfChange: boolean;
  /** Whether payments are handed to the mempool and the peers (-walletbroadcast). */
  readonly walletBroadcast: boolean;
  readonly spend: SpendOptions;
  /** -rescan: wallets look through past blocks whenever they are loaded. */
  readonly rescan: boolean;
  /** -signer. */
  readonly signerCommand: string | undefined;
  /** -walletnotify. */
  readonly notifyCommand: string | undefined;
}

/** What an operator gives besides spending; config resolves the folder. */
export const WALLET_ROWS = {
  disabled: ['disablewallet', 'bool', 'Run without wallets and their calls'],
  names: ['wallet', 'list', 'A wallet to load at the start, by name; may be given several times'],
  dir: ['walletdir', 'string', 'The folder of all wallets (default: wallets in the folder of the network)'],
  addressType: [
    'addresstype',
    'filled',
    'Address type of getnewaddress: legacy, p2sh-segwit, bech32 or bech32m (not with -compat=0.21.1). With bech32m createwallet makes descriptor wallets',
    'bech32',
  ],
  changeType: [
    'changetype',
    'filled',
    'Address type of change: legacy, p2sh-segwit, bech32 or bech32m, as with -addresstype (default: chosen for each payment)',
  ],
  keypool: ['keypool', 'int', 'Keys kept ready ahead of use', 1000, { least: 0 }],
  imageRows: [
    'walletimage',
    'int',
    'Wallets with so many scripts, transactions and coins keep an image of their tables, which loads quickly; 0: none does',
    50_000,
    { least: 0 },
  ],
  rescan: ['rescan', 'bool', 'Look through past blocks for transactions of a wallet whenever it is loaded', false],
  spendZeroConfChange: ['spendzeroconfchange', 'bool', 'Count and spend own change before it confirms', true],
  signerCommand: ['signer', 'filled', 'The command, with arguments apart by blanks, that speaks to devices which sign for wallets'],
  notifyCommand: [
    'walletnotify',
    'string',
    'Run this command for each change of a transaction of a wallet; %s is its id, %w the wallet, %b and %h its block and height',
  ],
  walletBroadcast: ['walletbroadcast', 'bool', 'Payments go to the mempool and the peers (default: 1, with -blocksonly 0)'],
} as const;

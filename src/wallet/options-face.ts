// Face of this module for src/config: the options of wallets.
export { WALLET_ROWS, type WalletOptions } from './options.js';
export { NEW_SPENDING, OLD_SPENDING, SPEND_ROWS, type SpendOptions } from './spend/options.js';

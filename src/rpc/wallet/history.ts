// Shared by methods that show a wallet's history.
import { FILTER, type OwnershipFilter, type Wallet } from '../../wallet/index.js';
import { fail, RPC_CODE } from '../errors.js';
import { includeWatchOnly } from './coins.js';

/** Returns the filter of an include_watchonly argument. */
export const filterOf = (wallet: Wallet, value: boolean | undefined): OwnershipFilter =>
  includeWatchOnly(wallet, value) ? FILTER.ALL : FILTER.SPENDABLE;

export const unknownId = (): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid or non-wallet transaction id');

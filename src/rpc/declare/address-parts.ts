// Parts of declarations of methods that create addresses: the address types.

/** Help for address types of wallets. */
export const ADDRESS_TYPES_HELP =
  'legacy, p2sh-segwit, bech32 or bech32m (bech32m only in descriptor wallets with tr(), not with -compat=0.21.1)';

export const SCRIPT_ADDRESS_TYPES_HELP = 'The address type: legacy, p2sh-segwit or bech32';

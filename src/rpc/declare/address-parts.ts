// Parts of the calls that make addresses: which kinds there are.

/** Where any key of a wallet may stand behind it. */
export const ADDRESS_TYPES_HELP =
  'legacy, p2sh-segwit, bech32 or bech32m (bech32m only in descriptor wallets with tr(), not with -compat=0.21.1)';

/** Where a script stands behind it. */
export const SCRIPT_ADDRESS_TYPES_HELP = 'The address type: legacy, p2sh-segwit or bech32';

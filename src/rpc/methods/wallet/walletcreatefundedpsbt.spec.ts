import { FUNDED_MEMBERS, fundOptions, INPUTS_INNER, OUTPUTS_INNER } from '../../declare/fund-parts.js';
import { arr, bool, num, obj, str } from '../../declare/parts.js';
import { PSBT_VERSION_ARG, TX_VERSION_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const walletcreatefundedpsbt: MethodSpec = {
  name: 'walletcreatefundedpsbt',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Makes a PSBT (BIP174) of outputs, with inputs of the wallet that pay for them and a change output if one is needed.',
  args: [
    arr('inputs?', 'Coins that are spent; empty: the wallet chooses', INPUTS_INNER),
    arr('outputs', 'The outputs, each address once', { anyType: true }, OUTPUTS_INNER),
    num('locktime', 'The lock time; not 0 lets it count in all inputs', { default: '0' }),
    obj('options?', '', { namedMembers: true, oneline: 'options' }, fundOptions('false if inputs are named, true otherwise')),
    bool('bip32derivs', 'Say where the keys come from, as far as it is known', { default: 'true' }),
    TX_VERSION_ARG,
    PSBT_VERSION_ARG,
  ],
  results: [obj([str('psbt', 'The PSBT in Base64'), ...FUNDED_MEMBERS])],
  examples: [{ title: 'A PSBT without named inputs', cli: '"[]" "[{\\"data\\":\\"00010203\\"}]"' }],
  waits: true,
};

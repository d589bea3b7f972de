import { FUNDED_MEMBERS, fundOptions, INPUTS_INNER, OUTPUTS_INNER } from '../../declare/fund-parts.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, num, obj, str } from '../../declare/parts.js';
import { PSBT_VERSION_ARG, TX_VERSION_ARG } from '../../declare/psbt-parts.js';

export const walletcreatefundedpsbt = declare({
  name: 'walletcreatefundedpsbt',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description:
    'Creates a PSBT (BIP174) with the given outputs. It adds inputs of the wallet that pay for them, and a change\noutput if necessary.',
  args: [
    arr('inputs?', 'Coins to spend. If empty, the wallet chooses', { as: 'json' }, INPUTS_INNER),
    arr('outputs', 'The outputs, each address once', { anyType: true }, OUTPUTS_INNER),
    num('locktime', 'The lock time. If it is not 0, all inputs activate it', { as: 'json', default: '0' }),
    obj('options?', '', { as: 'json', namedMembers: true, oneline: 'options' }, fundOptions('false if inputs are named, true otherwise')),
    bool('bip32derivs', 'Whether to include the known derivation paths of keys', { default: 'true' }),
    TX_VERSION_ARG,
    PSBT_VERSION_ARG,
  ],
  results: [obj([str('psbt', 'The PSBT in Base64'), ...FUNDED_MEMBERS])],
  examples: [{ title: 'A PSBT without named inputs', cli: '"[]" "[{\\"data\\":\\"00010203\\"}]"' }],
  waits: true,
});

// Declares walletcreatefundedpsbt.
import { FUNDED_MEMBERS, fundOptions, INPUTS_INNER, OUTPUTS_INNER } from '../../declare/fund-parts.js';
import { PSBT_VERSION_ARG, TX_VERSION_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const walletcreatefundedpsbt: MethodSpec = {
  name: 'walletcreatefundedpsbt',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Makes a PSBT (BIP174) of outputs, with inputs of the wallet that pay for them and a change output if one is needed.',
  args: [
    { name: 'inputs', type: 'arr', optional: true, help: 'Coins that are spent; empty: the wallet chooses', inner: INPUTS_INNER },
    { name: 'outputs', type: 'arr', anyType: true, help: 'The outputs, each address once', inner: OUTPUTS_INNER },
    { name: 'locktime', type: 'num', default: '0', help: 'The lock time; not 0 lets it count in all inputs' },
    {
      name: 'options',
      type: 'obj',
      namedMembers: true,
      optional: true,
      help: '',
      inner: fundOptions('false if inputs are named, true otherwise'),
      oneline: 'options',
    },
    { name: 'bip32derivs', type: 'bool', default: 'true', help: 'Say where the keys come from, as far as it is known' },
    TX_VERSION_ARG,
    PSBT_VERSION_ARG,
  ],
  results: [{ type: 'obj', help: '', inner: [{ type: 'str', key: 'psbt', help: 'The PSBT in Base64' }, ...FUNDED_MEMBERS] }],
  examples: [{ title: 'A PSBT without named inputs', cli: '"[]" "[{\\"data\\":\\"00010203\\"}]"' }],
  waits: true,
};

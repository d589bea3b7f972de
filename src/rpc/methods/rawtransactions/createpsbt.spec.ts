import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { PSBT_VERSION_ARG } from '../../declare/psbt-parts.js';
import { createrawtransaction } from './createrawtransaction.spec.js';

export const createpsbt = declare({
  name: 'createpsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description: 'Creates a PSBT (BIP174) from inputs and outputs. The PSBT has no further data about them yet.',
  args: [...createrawtransaction.args, PSBT_VERSION_ARG],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: `"[{\\"txid\\":\\"myid\\",\\"vout\\":0}]" "[{\\"data\\":\\"00010203\\"}]"` }],
});

// Core 0.21: rpc/rawtransaction.cpp.

import { declare } from '../../declare/parameters.js';
import { obj } from '../../declare/parts.js';
import { PSBT_ARG, PSBT_MEMBERS } from '../../declare/psbt-parts.js';
import type { DecodeRun } from '../../front/context.js';
import { psbtMembers } from '../../render/psbt.js';
import { asPsbt } from '../../render/psbt-text.js';

export const spec = declare({
  name: 'decodepsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types',
  description: 'Returns a PSBT as an object.',
  args: [PSBT_ARG],
  results: [obj(PSBT_MEMBERS)],
  examples: [{ cli: '"psbt"' }],
});

export const decodepsbt: DecodeRun<typeof spec> = ({ psbt }, ctx) => psbtMembers(asPsbt(psbt, ctx), ctx);

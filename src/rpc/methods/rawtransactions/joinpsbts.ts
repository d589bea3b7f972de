// Core 0.21: rpc/rawtransaction.cpp.

import { randomInt } from 'node:crypto';
import { follows } from '../../../policy/compat.js';
import { joinPsbts } from '../../../psbt/index.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { PSBTS_ARG } from '../../declare/psbt-parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { DecodeRun } from '../../front/context.js';
import { asPsbts } from '../../front/psbts.js';
import { psbtText } from '../../render/psbt-text.js';

export const spec = declare({
  name: 'joinpsbts',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description: 'Joins the inputs and outputs of several PSBTs to one PSBT, in random order. An output may be spent by one of\nthem only.',
  args: [PSBTS_ARG],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: '"[\\"mybase64_1\\", \\"mybase64_2\\"]"' }],
});

/** Returns the numbers below a count in random order (Fisher–Yates). */
function shuffled(count: number): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const other = randomInt(i + 1);
    [order[i], order[other]] = [order[other], order[i]];
  }
  return order;
}

export const joinpsbts: DecodeRun<typeof spec> = ({ txs: list }, ctx) => {
  if (list.length <= 1) fail(RPC_CODE.INVALID_PARAMETER, 'At least two PSBTs are required to join PSBTs.');
  const later = follows(ctx.compat, 32);
  const psbts = asPsbts(ctx, list, ({ version2 }) => {
    if (later && version2 !== null) fail(RPC_CODE.INVALID_PARAMETER, 'joinpsbts only operates on version 0 PSBTs');
  });
  const joined = joinPsbts(psbts, shuffled, ctx.crypto);
  if ('repeated' in joined) return fail(RPC_CODE.INVALID_PARAMETER, `Input ${joined.repeated} exists in multiple PSBTs`);
  return psbtText(joined, ctx.crypto, ctx.compat);
};

import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { none, num } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { regtestOnly } from '../../node/control.js';

export const spec = declare({
  name: 'setmocktime',
  category: 'hidden',
  runs: 'node',
  description: 'Sets the clock of the node (-regtest only).',
  args: [num('timestamp', 'Seconds since 1970.\n0 returns to the real time', { as: 'int64', checked: true, typeWords: 'numeric' })],
  results: [none()],
  examples: [],
});

/**
 * The largest time: in nanoseconds it fits a signed 64-bit integer. Since release 32, the largest time of a block
 * header.
 */
const MOST_SECONDS = 9_223_372_036n;
const MOST_SECONDS_32 = 0xffff_ffffn;

export const setmocktime: NodeRun<typeof spec> = (params, ctx) => {
  regtestOnly(ctx, 'setmocktime');
  const { timestamp: seconds } = params;
  if (seconds < 0n && !follows(ctx.compat, 28)) fail(RPC_CODE.INVALID_PARAMETER, `Mocktime can not be negative: ${seconds}.`);
  const most = follows(ctx.compat, 32) ? MOST_SECONDS_32 : MOST_SECONDS;
  if (seconds < 0n || seconds > most) {
    fail(RPC_CODE.INVALID_PARAMETER, `Mocktime must be in the range [0, ${most}], not ${seconds}.`);
  }
  ctx.clock.setMockTime(Number(seconds));
  return null;
};

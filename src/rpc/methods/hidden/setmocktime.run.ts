// Runs setmocktime.
import { asInt64, checkTypes } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { regtestOnly } from '../../node/control.js';

/** Seconds that fit a signed 64-bit count of nanoseconds. */
const MAX_MOCK_SECONDS = 9_223_372_036n;

export const setmocktime: NodeRun = (ctx, args) => {
  regtestOnly(ctx, 'setmocktime');
  checkTypes(args, ['number']);
  const seconds = asInt64(args[0]);
  if (seconds < 0n) fail(RPC_CODE.INVALID_PARAMETER, `Mocktime can not be negative: ${seconds}.`);
  if (seconds > MAX_MOCK_SECONDS) {
    fail(RPC_CODE.INVALID_PARAMETER, `Mocktime must be in the range [0, ${MAX_MOCK_SECONDS}], not ${seconds}.`);
  }
  ctx.clock.setMockTime(Number(seconds));
  return null;
};

import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { regtestOnly } from '../../node/control.js';
import type { mockscheduler as spec } from './mockscheduler.spec.js';

const MAX_SCHEDULER_STEP = 3600n;

export const mockscheduler: NodeRun<typeof spec> = (params, ctx) => {
  regtestOnly(ctx, 'mockscheduler');
  const { delta_time: seconds } = params;
  if (seconds <= 0n || seconds > MAX_SCHEDULER_STEP) {
    fail(RPC_CODE.MISC_ERROR, 'delta_time must be between 1 and 3600 seconds (1 hr)');
  }
  ctx.clock.advanceScheduler(Number(seconds));
  return null;
};

import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { none, num } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { regtestOnly } from '../../node/control.js';

export const spec = declare({
  name: 'mockscheduler',
  category: 'hidden',
  runs: 'node',
  description: 'Advances the scheduler by some seconds (-regtest only).',
  args: [num('delta_time', 'Seconds to advance the scheduler by', { as: 'int64', checked: true })],
  results: [none()],
  examples: [],
});

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

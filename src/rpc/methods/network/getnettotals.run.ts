import type { NodeRun } from '../../context/node.js';
import type { getnettotals as spec } from './getnettotals.spec.js';

const SECONDS_PER_DAY = 86_400;

export const getnettotals: NodeRun<typeof spec> = (_, ctx) => {
  const { received, sent } = ctx.network.totals();
  const { target, reached, historicalReached, bytesLeft, secondsLeft } = ctx.network.upload();
  return {
    totalbytesrecv: received,
    totalbytessent: sent,
    timemillis: ctx.clock.nowMs(),
    uploadtarget: {
      timeframe: SECONDS_PER_DAY,
      target,
      target_reached: reached,
      serve_historical_blocks: !historicalReached,
      bytes_left_in_cycle: bytesLeft,
      time_left_in_cycle: secondsLeft,
    },
  };
};

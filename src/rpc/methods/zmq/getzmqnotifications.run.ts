// Runs getzmqnotifications.
import type { NodeRun } from '../../node/context.js';

export const getzmqnotifications: NodeRun = (ctx) =>
  (ctx.zmq ?? []).map(({ topic, address, highWaterMark }) => ({ type: `pub${topic}`, address, hwm: highWaterMark }));

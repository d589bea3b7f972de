import type { NodeRun } from '../../context/node.js';

export const getzmqnotifications: NodeRun = (ctx) =>
  (ctx.zmq ?? []).map(({ topic, address, highWaterMark }) => ({ type: `pub${topic}`, address, hwm: highWaterMark }));

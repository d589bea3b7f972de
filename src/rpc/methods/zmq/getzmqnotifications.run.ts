import type { NodeRun } from '../../context/node.js';
import type { getzmqnotifications as spec } from './getzmqnotifications.spec.js';

export const getzmqnotifications: NodeRun<typeof spec> = (_, ctx) =>
  (ctx.zmq ?? []).map(({ topic, address, highWaterMark }) => ({ type: `pub${topic}`, address, hwm: highWaterMark }));

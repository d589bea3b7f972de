import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, num, obj, str } from '../../declare/parts.js';

export const spec = declare({
  name: 'getzmqnotifications',
  category: 'zmq',
  runs: 'node',
  repeatable: true,
  description: 'Returns the active ZeroMQ notifications.',
  args: [],
  results: [
    arr([
      obj([
        str('type', 'The kind of message'),
        str('address', 'Address at which it is published'),
        num('hwm', 'Maximum number of messages that may wait for a subscriber'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const getzmqnotifications: NodeRun<typeof spec> = (_, ctx) =>
  (ctx.zmq ?? []).map(({ topic, address, highWaterMark }) => ({ type: `pub${topic}`, address, hwm: highWaterMark }));

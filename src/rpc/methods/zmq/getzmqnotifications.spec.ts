import { arr, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getzmqnotifications: MethodSpec = {
  name: 'getzmqnotifications',
  category: 'zmq',
  runs: 'node',
  repeatable: true,
  description: 'What is published by ZeroMQ.',
  args: [],
  results: [
    arr([
      obj([
        str('type', 'The kind of message'),
        str('address', 'Where it is published'),
        num('hwm', 'How many messages may wait for a subscriber'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};

// Declares getzmqnotifications.
import type { MethodSpec } from '../../declare/types.js';

export const getzmqnotifications: MethodSpec = {
  name: 'getzmqnotifications',
  category: 'zmq',
  runs: 'node',
  repeatable: true,
  description: 'What is published by ZeroMQ.',
  args: [],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'str', key: 'type', help: 'The kind of message' },
            { type: 'str', key: 'address', help: 'Where it is published' },
            { type: 'num', key: 'hwm', help: 'How many messages may wait for a subscriber' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};

// Declares logging.
import type { MethodSpec } from '../../declare/types.js';

export const logging: MethodSpec = {
  name: 'logging',
  category: 'control',
  runs: 'node',
  description:
    'Shows the categories of debug messages and turns them on and off.\nWithout arguments nothing changes. Includes are done first, then excludes. "all" and "1" stand for every category,\n"none" and "0" for none.',
  args: [
    {
      name: 'include',
      type: 'arr',
      optional: true,
      help: 'Categories to turn on',
      inner: [{ name: 'include_category', type: 'str', optional: true, help: 'A category' }],
    },
    {
      name: 'exclude',
      type: 'arr',
      optional: true,
      help: 'Categories to turn off',
      inner: [{ name: 'exclude_category', type: 'str', optional: true, help: 'A category' }],
    },
  ],
  results: [{ type: 'obj-dyn', help: 'By category', inner: [{ type: 'bool', key: 'category', help: 'Whether it is on' }] }],
  examples: [{ cli: '"[\\"all\\"]" "[\\"http\\"]"', rpc: '["all"], ["libevent"]' }],
};

import { arr, bool, dyn, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const logging: MethodSpec = {
  name: 'logging',
  category: 'control',
  runs: 'node',
  description:
    'Shows the categories of debug messages and turns them on and off.\nWithout arguments nothing changes. Includes are done first, then excludes. "all" and "1" stand for every category,\n"none" and "0" for none.',
  args: [
    arr('include?', 'Categories to turn on', [str('include_category?', 'A category')]),
    arr('exclude?', 'Categories to turn off', [str('exclude_category?', 'A category')]),
  ],
  results: [dyn('By category', [bool('category', 'Whether it is on')])],
  examples: [{ cli: '"[\\"all\\"]" "[\\"http\\"]"', rpc: '["all"], ["libevent"]' }],
};

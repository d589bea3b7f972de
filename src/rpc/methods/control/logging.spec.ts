import { declare } from '../../declare/parameters.js';
import { arr, bool, dyn, str } from '../../declare/parts.js';

export const logging = declare({
  name: 'logging',
  category: 'control',
  runs: 'node',
  description:
    'Returns the categories of debug messages, and turns them on and off. Without arguments nothing changes.\nThe call first includes categories, then excludes them. "all" and "1" stand for every category, "none" and "0"\nfor none.',
  args: [
    arr('include?', 'Categories to enable', { as: 'json' }, [str('include_category?', 'A category')]),
    arr('exclude?', 'Categories to disable', { as: 'json' }, [str('exclude_category?', 'A category')]),
  ],
  results: [dyn('Categories', [bool('category', 'Whether the category is enabled')])],
  examples: [{ cli: '"[\\"all\\"]" "[\\"http\\"]"', rpc: '["all"], ["libevent"]' }],
});

import { asString } from '../../args.js';
import type { LogControl, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, dyn, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { JsonValue } from '../../wire/values.js';

export const spec = declare({
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

/** Turns categories on or off. Categories before an unknown name stay changed, as in Core. */
function switchCategories(log: LogControl, names: readonly JsonValue[], on: boolean): void {
  const turn = (name: string) => (on ? log.enable(name) : log.disable(name));
  for (const value of names) {
    const name = asString(value);
    if (name === '' || name === 'all' || name === '1') for (const [each] of log.categories()) turn(each);
    else if (name !== 'none' && name !== '0' && !turn(name)) {
      fail(RPC_CODE.INVALID_PARAMETER, `unknown logging category ${name}`);
    }
  }
}

export const logging: NodeRun<typeof spec> = ({ include, exclude }, ctx) => {
  if (Array.isArray(include)) switchCategories(ctx.log, include, true);
  if (Array.isArray(exclude)) switchCategories(ctx.log, exclude, false);
  return Object.fromEntries(ctx.log.categories());
};

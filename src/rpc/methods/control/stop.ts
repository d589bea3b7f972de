import { namesAdit } from '../../../policy/compat.js';
import { asInt } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { num, str } from '../../declare/parts.js';
import { JsonNumber } from '../../wire/values.js';

export const spec = declare({
  name: 'stop',
  category: 'control',
  runs: 'node',
  description: 'Requests a clean stop of the node.',
  args: [num('wait?', 'Milliseconds to wait before the stop', { as: 'json', hidden: true })],
  results: [str('A message that the node is stopping')],
  examples: [],
});

export const stop: NodeRun<typeof spec> = ({ wait: asked }, ctx) => {
  const wait = asked instanceof JsonNumber ? asInt(asked) : 0;
  ctx.stop(Math.max(0, wait));
  return namesAdit(ctx.compat) ? 'adit stopping' : 'Bitcoin Core stopping';
};

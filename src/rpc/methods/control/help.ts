import { asString } from '../../args.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import type { FrontRun } from '../../front/context.js';
import { renderHelp, renderOverview } from '../../help.js';

export const spec = declare({
  name: 'help',
  category: 'control',
  runs: 'front',
  description: 'Lists all methods, or explains one.',
  args: [str('command', 'The method', { as: 'json', default: 'all commands' })],
  results: [str('The text')],
  examples: [],
});

/** An unknown topic is no error: the result says so, as in Core. */
export const help: FrontRun<typeof spec> = (params, ctx) => {
  const topic = params.args.length === 0 ? '' : asString(params.command);
  if (topic === '') return renderOverview([...ctx.methods.values()]);
  const found = ctx.methods.get(topic);
  return found ? renderHelp(found) : `help: unknown command: ${topic}`;
};

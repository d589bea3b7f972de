import { asString } from '../../args.js';
import { methodsOf } from '../../declare/methods.js';
import type { FrontRun } from '../../front/context.js';
import { renderHelp, renderOverview } from '../../help.js';
import type { help as spec } from './help.spec.js';

/** An unknown topic is no error: the result says so, as in Core. */
export const help: FrontRun<typeof spec> = (params, ctx) => {
  const methods = methodsOf(ctx.wallets, ctx.compat);
  const topic = params.args.length === 0 ? '' : asString(params.command);
  if (topic === '') return renderOverview([...methods.values()]);
  const spec = methods.get(topic);
  return spec ? renderHelp(spec) : `help: unknown command: ${topic}`;
};

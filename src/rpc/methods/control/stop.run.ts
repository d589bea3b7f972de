import { namesAdit } from '../../../policy/compat.js';
import { asInt } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { JsonNumber } from '../../wire/values.js';
import type { stop as spec } from './stop.spec.js';

export const stop: NodeRun<typeof spec> = ({ wait: asked }, ctx) => {
  const wait = asked instanceof JsonNumber ? asInt(asked) : 0;
  ctx.stop(Math.max(0, wait));
  return namesAdit(ctx.compat) ? 'adit stopping' : 'Bitcoin Core stopping';
};

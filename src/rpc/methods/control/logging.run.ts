import { asString } from '../../args.js';
import type { LogControl, NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { JsonValue } from '../../wire/values.js';
import type { logging as spec } from './logging.spec.js';

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

import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { fail, RPC_CODE } from '../../errors.js';
import { renderHelp } from '../../help.js';

export const spec = declare({
  name: 'generate',
  category: 'hidden',
  runs: 'node',
  bare: true,
  description: 'has been replaced by the -generate cli option. Refer to -help for more information.',
  args: [],
  results: [],
  examples: [],
});

/** Fails with the help page as message. */
export const generate: NodeRun<typeof spec> = (_, { compat }) => fail(RPC_CODE.METHOD_NOT_FOUND, renderHelp({ ...spec, compat }));

import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { renderHelp } from '../../help.js';
import type { generate as spec } from './generate.spec.js';
import { generate as generateSpec } from './generate.spec.js';

/** Fails with the help page as message. */
export const generate: NodeRun<typeof spec> = (_, { compat }) => fail(RPC_CODE.METHOD_NOT_FOUND, renderHelp({ ...generateSpec, compat }));

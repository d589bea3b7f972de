// Runs generate.

import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { renderHelp } from '../../help.js';
import { generate as generateSpec } from './generate.spec.js';

/** The page is the message: not found when called properly, the count error's page otherwise. */
export const generate: NodeRun = ({ compat }) => fail(RPC_CODE.METHOD_NOT_FOUND, renderHelp({ ...generateSpec, compat }));

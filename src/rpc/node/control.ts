// Check that several control methods share.

import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';

export const regtestOnly = (ctx: NodeContext, method: string) => {
  if (ctx.params.name !== 'regtest') {
    fail(RPC_CODE.MISC_ERROR, `${method} is for regression testing (-regtest mode) only`);
  }
};

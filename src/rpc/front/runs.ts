// Which methods a front answers alone. All of them are synchronous; plan.ts relies on it.
import type { RunTable } from '../dispatch.js';
import type { FrontContext } from './context.js';
import { converttopsbt, createpsbt } from './createpsbt.js';
import { createrawtransaction } from './createrawtransaction.js';
import { decoderawtransaction, decodescript } from './decode.js';
import { discover, echo, getbestblockhash, getblockcount, getdifficulty, getopenrpcinfo, help, uptime } from './simple.js';
import { validateaddress } from './validateaddress.js';

export const FRONT_RUNS: RunTable<FrontContext> = {
  converttopsbt,
  createpsbt,
  createrawtransaction,
  decoderawtransaction,
  decodescript,
  echo,
  echojson: echo,
  getbestblockhash,
  getblockcount,
  getdifficulty,
  help,
  'rpc.discover': discover,
  getopenrpcinfo,
  uptime,
  validateaddress,
};

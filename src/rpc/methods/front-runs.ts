// Made by src/method-tables.mjs; a line a method.
import type { RunTable } from '../dispatch.js';
import type { FrontContext } from '../front/context.js';
import { getbestblockhash } from './blockchain/getbestblockhash.run.js';
import { getblockcount } from './blockchain/getblockcount.run.js';
import { getdifficulty } from './blockchain/getdifficulty.run.js';
import { getopenrpcinfo } from './control/getopenrpcinfo.run.js';
import { help } from './control/help.run.js';
import { uptime } from './control/uptime.run.js';
import { discover } from './hidden/discover.run.js';
import { echo } from './hidden/echo.run.js';
import { echojson } from './hidden/echojson.run.js';
import { converttopsbt } from './rawtransactions/converttopsbt.run.js';
import { createpsbt } from './rawtransactions/createpsbt.run.js';
import { createrawtransaction } from './rawtransactions/createrawtransaction.run.js';
import { decoderawtransaction } from './rawtransactions/decoderawtransaction.run.js';
import { decodescript } from './rawtransactions/decodescript.run.js';
import { validateaddress } from './util/validateaddress.run.js';

/** Run functions of methods declared with runs: 'front', by name. */
export const FRONT_RUNS: RunTable<FrontContext> = {
  converttopsbt,
  createpsbt,
  createrawtransaction,
  decoderawtransaction,
  decodescript,
  echo,
  echojson,
  getbestblockhash,
  getblockcount,
  getdifficulty,
  getopenrpcinfo,
  help,
  'rpc.discover': discover,
  uptime,
  validateaddress,
};

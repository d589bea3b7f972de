// All methods of the node by name; a method that is not here does not exist.
import { createmultisig } from './createmultisig.js';
import { createrawtransaction } from './createrawtransaction.js';
import { decoderawtransaction } from './decoderawtransaction.js';
import { decodescript } from './decodescript.js';
import { deriveaddresses } from './deriveaddresses.js';
import { echo } from './echo.js';
import { echojson } from './echojson.js';
import { estimaterawfee } from './estimaterawfee.js';
import { estimatesmartfee } from './estimatesmartfee.js';
import { generate } from './generate.js';
import { generateblock } from './generateblock.js';
import { generatetoaddress } from './generatetoaddress.js';
import { generatetodescriptor } from './generatetodescriptor.js';
import { getbestblockhash } from './getbestblockhash.js';
import { getblock } from './getblock.js';
import { getblockchaininfo } from './getblockchaininfo.js';
import { getblockcount } from './getblockcount.js';
import { getblockfilter } from './getblockfilter.js';
import { getblockhash } from './getblockhash.js';
import { getblockheader } from './getblockheader.js';
import { getblockstats } from './getblockstats.js';
import { getblocktemplate } from './getblocktemplate.js';
import { getchaintips } from './getchaintips.js';
import { getchaintxstats } from './getchaintxstats.js';
import { getconnectioncount } from './getconnectioncount.js';
import { getdescriptorinfo } from './getdescriptorinfo.js';
import { getdifficulty } from './getdifficulty.js';
import { getindexinfo } from './getindexinfo.js';
import { getmemoryinfo } from './getmemoryinfo.js';
import { getmempoolancestors } from './getmempoolancestors.js';
import { getmempooldescendants } from './getmempooldescendants.js';
import { getmempoolentry } from './getmempoolentry.js';
import { getmempoolinfo } from './getmempoolinfo.js';
import { getmininginfo } from './getmininginfo.js';
import { getnettotals } from './getnettotals.js';
import { getnetworkhashps } from './getnetworkhashps.js';
import { getnetworkinfo } from './getnetworkinfo.js';
import { getpeerinfo } from './getpeerinfo.js';
import { getprioritisedtransactions } from './getprioritisedtransactions.js';
import { getrawmempool } from './getrawmempool.js';
import { getrawtransaction } from './getrawtransaction.js';
import { getrpcinfo } from './getrpcinfo.js';
import { gettxout } from './gettxout.js';
import { gettxoutproof } from './gettxoutproof.js';
import { gettxoutsetinfo } from './gettxoutsetinfo.js';
import { help } from './help.js';
import { invalidateblock } from './invalidateblock.js';
import { logging } from './logging.js';
import { mockscheduler } from './mockscheduler.js';
import { preciousblock } from './preciousblock.js';
import { prioritisetransaction } from './prioritisetransaction.js';
import { reconsiderblock } from './reconsiderblock.js';
import { savemempool } from './savemempool.js';
import { sendrawtransaction } from './sendrawtransaction.js';
import { setmocktime } from './setmocktime.js';
import { signmessagewithprivkey } from './signmessagewithprivkey.js';
import { stop } from './stop.js';
import { submitblock } from './submitblock.js';
import { submitheader } from './submitheader.js';
import { syncwithvalidationinterfacequeue } from './syncwithvalidationinterfacequeue.js';
import { testmempoolaccept } from './testmempoolaccept.js';
import type { MethodSpec } from './types.js';
import { uptime } from './uptime.js';
import { validateaddress } from './validateaddress.js';
import { verifychain } from './verifychain.js';
import { verifymessage } from './verifymessage.js';
import { verifytxoutproof } from './verifytxoutproof.js';
import { waitforblock } from './waitforblock.js';
import { waitforblockheight } from './waitforblockheight.js';
import { waitfornewblock } from './waitfornewblock.js';

const ALL: readonly MethodSpec[] = [
  createmultisig,
  createrawtransaction,
  decoderawtransaction,
  decodescript,
  deriveaddresses,
  echo,
  echojson,
  estimaterawfee,
  estimatesmartfee,
  generate,
  generateblock,
  generatetoaddress,
  generatetodescriptor,
  getbestblockhash,
  getblock,
  getblockchaininfo,
  getblockcount,
  getblockfilter,
  getblockhash,
  getblockheader,
  getblockstats,
  getblocktemplate,
  getchaintips,
  getchaintxstats,
  getconnectioncount,
  getdescriptorinfo,
  getdifficulty,
  getindexinfo,
  getmemoryinfo,
  getmempoolancestors,
  getmempooldescendants,
  getmempoolentry,
  getmempoolinfo,
  getmininginfo,
  getnettotals,
  getnetworkhashps,
  getnetworkinfo,
  getpeerinfo,
  getprioritisedtransactions,
  getrawmempool,
  getrawtransaction,
  getrpcinfo,
  gettxout,
  gettxoutproof,
  gettxoutsetinfo,
  help,
  invalidateblock,
  logging,
  mockscheduler,
  preciousblock,
  prioritisetransaction,
  reconsiderblock,
  savemempool,
  sendrawtransaction,
  setmocktime,
  signmessagewithprivkey,
  stop,
  submitblock,
  submitheader,
  syncwithvalidationinterfacequeue,
  testmempoolaccept,
  uptime,
  validateaddress,
  verifychain,
  verifymessage,
  verifytxoutproof,
  waitforblock,
  waitforblockheight,
  waitfornewblock,
];

/** Declarations by method name. */
export const METHODS: ReadonlyMap<string, MethodSpec> = new Map(ALL.map((spec) => [spec.name, spec]));

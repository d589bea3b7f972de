// The run functions of the node thread: its own, and those of the fronts for batches that hold both kinds.
import type { Run, RunTable } from '../dispatch.js';
import { FRONT_RUNS } from '../front/runs.js';
import { WALLET_RUNS } from '../wallet/runs.js';
import { getblock, getblockhash, getblockheader } from './blocks.js';
import { invalidateblock, preciousblock, reconsiderblock, verifychain } from './chain-control.js';
import { getblockchaininfo, getchainstates, getchaintips, getchaintxstats, getdeploymentinfo } from './chain-info.js';
import { gettxoutsetinfo } from './coin-set.js';
import { gettxout } from './coins.js';
import type { NodeContext } from './context.js';
import {
  generate,
  getmemoryinfo,
  getrpcinfo,
  getzmqnotifications,
  logging,
  mockscheduler,
  setmocktime,
  stop,
  syncwithvalidationinterfacequeue,
} from './control.js';
import { createmultisig } from './createmultisig.js';
import { checkdeclaredblock } from './declared-block.js';
import { descriptorprocesspsbt } from './descriptorprocesspsbt.js';
import { deriveaddresses, getdescriptorinfo } from './descriptors.js';
import { dumptxoutset } from './dumptxoutset.js';
import { estimaterawfee, estimatesmartfee } from './estimate-fee.js';
import { frontContextOf } from './front-context.js';
import { generateblock, generatetoaddress, generatetodescriptor } from './generate.js';
import { getblockstats } from './getblockstats.js';
import { getdescriptoractivity } from './getdescriptoractivity.js';
import { getorphantxs } from './getorphantxs.js';
import { decoderawtransaction, getrawtransaction } from './getrawtransaction.js';
import { getblockfilter, getindexinfo } from './indexes.js';
import { getrawtransactions, gettemplateinfo } from './job-transactions.js';
import { loadtxoutset } from './loadtxoutset.js';
import { signmessagewithprivkey, verifymessage } from './messages.js';
import { getmininginfo, getnetworkhashps, prioritisetransaction } from './mining-info.js';
import { getconnectioncount, getnettotals, getnetworkinfo, getpeerinfo } from './network.js';
import { submitpackage } from './packages.js';
import * as peers from './peers.js';
import {
  getmempoolancestors,
  getmempoolcluster,
  getmempooldescendants,
  getmempoolentry,
  getmempoolfeeratediagram,
  getmempoolinfo,
  getprioritisedtransactions,
  getrawmempool,
  gettxspendingprevout,
  importmempool,
  savemempool,
} from './pool.js';
import { abortprivatebroadcast, getprivatebroadcastinfo } from './private-broadcast.js';
import { pruneblockchain } from './pruneblockchain.js';
import { combinepsbt, decodepsbt, joinpsbts } from './psbt.js';
import { analyzepsbt, finalizepsbt, utxoupdatepsbt } from './psbt-roles.js';
import { scanblocks } from './scanblocks.js';
import { scantxoutset } from './scantxoutset.js';
import { sendrawtransaction, testmempoolaccept } from './send.js';
import { combinerawtransaction, signrawtransactionwithkey } from './signrawtransactionwithkey.js';
import { getblocktemplate, submitblock, submitheader } from './submit.js';
import { getsv2info } from './sv2-info.js';
import { gettemplateverdict } from './template-verdict.js';
import { gettxoutproof, verifytxoutproof } from './tx-proof.js';
import { waitforblock, waitforblockheight, waitfornewblock } from './wait.js';

function fromFront(): Record<string, Run<NodeContext>> {
  const runs: Record<string, Run<NodeContext>> = {};
  for (const [name, run] of Object.entries(FRONT_RUNS)) {
    runs[name] = (ctx, args, call) => run(frontContextOf(ctx), args, call);
  }
  return runs;
}

export const NODE_RUNS: RunTable<NodeContext> = {
  ...fromFront(),
  ...WALLET_RUNS,
  analyzepsbt,
  combinepsbt,
  combinerawtransaction,
  createmultisig,
  decodepsbt,
  decoderawtransaction,
  deriveaddresses,
  dumptxoutset,
  loadtxoutset,
  estimaterawfee,
  estimatesmartfee,
  finalizepsbt,
  generate,
  generateblock,
  generatetoaddress,
  generatetodescriptor,
  getblock,
  getblockchaininfo,
  getblockfilter,
  getblockhash,
  getblockheader,
  getblockstats,
  getblocktemplate,
  getchaintips,
  getchaintxstats,
  getchainstates,
  getdeploymentinfo,
  getdescriptoractivity,
  getmempoolcluster,
  getmempoolfeeratediagram,
  gettxspendingprevout,
  getconnectioncount,
  getdescriptorinfo,
  getindexinfo,
  getmemoryinfo,
  getmempoolancestors,
  getmempooldescendants,
  getmempoolentry,
  getmempoolinfo,
  getmininginfo,
  getsv2info,
  getnettotals,
  getnetworkhashps,
  getnetworkinfo,
  abortprivatebroadcast,
  getorphantxs,
  getprivatebroadcastinfo,
  getpeerinfo,
  ...peers,
  getprioritisedtransactions,
  getrawmempool,
  getrawtransaction,
  checkdeclaredblock,
  getrawtransactions,
  getrpcinfo,
  gettemplateinfo,
  gettemplateverdict,
  gettxout,
  gettxoutproof,
  gettxoutsetinfo,
  getzmqnotifications,
  invalidateblock,
  joinpsbts,
  logging,
  mockscheduler,
  preciousblock,
  prioritisetransaction,
  pruneblockchain,
  reconsiderblock,
  importmempool,
  savemempool,
  scanblocks,
  scantxoutset,
  sendrawtransaction,
  setmocktime,
  signmessagewithprivkey,
  signrawtransactionwithkey,
  stop,
  submitblock,
  submitheader,
  syncwithvalidationinterfacequeue,
  submitpackage,
  testmempoolaccept,
  utxoupdatepsbt,
  descriptorprocesspsbt,
  verifychain,
  verifymessage,
  verifytxoutproof,
  waitforblock,
  waitforblockheight,
  waitfornewblock,
};

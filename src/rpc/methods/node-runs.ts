// Made by src/method-tables.mjs; a line a method.
import type { NodeContext } from '../context/node.js';
import type { RunTable } from '../dispatch.js';
import { getblock } from './blockchain/getblock.run.js';
import { getblockchaininfo } from './blockchain/getblockchaininfo.run.js';
import { getblockfilter } from './blockchain/getblockfilter.run.js';
import { getblockfrompeer } from './blockchain/getblockfrompeer.run.js';
import { getblockhash } from './blockchain/getblockhash.run.js';
import { getblockheader } from './blockchain/getblockheader.run.js';
import { getblockstats } from './blockchain/getblockstats.run.js';
import { getchainstates } from './blockchain/getchainstates.run.js';
import { getchaintips } from './blockchain/getchaintips.run.js';
import { getchaintxstats } from './blockchain/getchaintxstats.run.js';
import { getdeploymentinfo } from './blockchain/getdeploymentinfo.run.js';
import { getdescriptoractivity } from './blockchain/getdescriptoractivity.run.js';
import { getmempoolancestors } from './blockchain/getmempoolancestors.run.js';
import { getmempoolcluster } from './blockchain/getmempoolcluster.run.js';
import { getmempooldescendants } from './blockchain/getmempooldescendants.run.js';
import { getmempoolentry } from './blockchain/getmempoolentry.run.js';
import { getmempoolinfo } from './blockchain/getmempoolinfo.run.js';
import { getrawmempool } from './blockchain/getrawmempool.run.js';
import { gettxout } from './blockchain/gettxout.run.js';
import { gettxoutproof } from './blockchain/gettxoutproof.run.js';
import { gettxoutsetinfo } from './blockchain/gettxoutsetinfo.run.js';
import { gettxspendingprevout } from './blockchain/gettxspendingprevout.run.js';
import { importmempool } from './blockchain/importmempool.run.js';
import { loadtxoutset } from './blockchain/loadtxoutset.run.js';
import { preciousblock } from './blockchain/preciousblock.run.js';
import { pruneblockchain } from './blockchain/pruneblockchain.run.js';
import { savemempool } from './blockchain/savemempool.run.js';
import { scanblocks } from './blockchain/scanblocks.run.js';
import { scantxoutset } from './blockchain/scantxoutset.run.js';
import { verifychain } from './blockchain/verifychain.run.js';
import { verifytxoutproof } from './blockchain/verifytxoutproof.run.js';
import { getmemoryinfo } from './control/getmemoryinfo.run.js';
import { getrpcinfo } from './control/getrpcinfo.run.js';
import { logging } from './control/logging.run.js';
import { stop } from './control/stop.run.js';
import { generateblock } from './generating/generateblock.run.js';
import { generatetoaddress } from './generating/generatetoaddress.run.js';
import { generatetodescriptor } from './generating/generatetodescriptor.run.js';
import { addconnection } from './hidden/addconnection.run.js';
import { addpeeraddress } from './hidden/addpeeraddress.run.js';
import { dumptxoutset } from './hidden/dumptxoutset.run.js';
import { estimaterawfee } from './hidden/estimaterawfee.run.js';
import { generate } from './hidden/generate.run.js';
import { getmempoolfeeratediagram } from './hidden/getmempoolfeeratediagram.run.js';
import { getorphantxs } from './hidden/getorphantxs.run.js';
import { getrawaddrman } from './hidden/getrawaddrman.run.js';
import { invalidateblock } from './hidden/invalidateblock.run.js';
import { mockscheduler } from './hidden/mockscheduler.run.js';
import { reconsiderblock } from './hidden/reconsiderblock.run.js';
import { setmocktime } from './hidden/setmocktime.run.js';
import { syncwithvalidationinterfacequeue } from './hidden/syncwithvalidationinterfacequeue.run.js';
import { waitforblock } from './hidden/waitforblock.run.js';
import { waitforblockheight } from './hidden/waitforblockheight.run.js';
import { waitfornewblock } from './hidden/waitfornewblock.run.js';
import { checkdeclaredblock } from './mining/checkdeclaredblock.run.js';
import { getblocktemplate } from './mining/getblocktemplate.run.js';
import { getmininginfo } from './mining/getmininginfo.run.js';
import { getnetworkhashps } from './mining/getnetworkhashps.run.js';
import { getprioritisedtransactions } from './mining/getprioritisedtransactions.run.js';
import { getrawtransactions } from './mining/getrawtransactions.run.js';
import { getsv2info } from './mining/getsv2info.run.js';
import { gettemplateinfo } from './mining/gettemplateinfo.run.js';
import { gettemplateverdict } from './mining/gettemplateverdict.run.js';
import { prioritisetransaction } from './mining/prioritisetransaction.run.js';
import { submitblock } from './mining/submitblock.run.js';
import { submitheader } from './mining/submitheader.run.js';
import { addnode } from './network/addnode.run.js';
import { clearbanned } from './network/clearbanned.run.js';
import { disconnectnode } from './network/disconnectnode.run.js';
import { exportasmap } from './network/exportasmap.run.js';
import { getaddednodeinfo } from './network/getaddednodeinfo.run.js';
import { getaddrmaninfo } from './network/getaddrmaninfo.run.js';
import { getconnectioncount } from './network/getconnectioncount.run.js';
import { getnettotals } from './network/getnettotals.run.js';
import { getnetworkinfo } from './network/getnetworkinfo.run.js';
import { getnodeaddresses } from './network/getnodeaddresses.run.js';
import { getpeerinfo } from './network/getpeerinfo.run.js';
import { listbanned } from './network/listbanned.run.js';
import { ping } from './network/ping.run.js';
import { setban } from './network/setban.run.js';
import { setnetworkactive } from './network/setnetworkactive.run.js';
import { abortprivatebroadcast } from './rawtransactions/abortprivatebroadcast.run.js';
import { analyzepsbt } from './rawtransactions/analyzepsbt.run.js';
import { combinepsbt } from './rawtransactions/combinepsbt.run.js';
import { combinerawtransaction } from './rawtransactions/combinerawtransaction.run.js';
import { decodepsbt } from './rawtransactions/decodepsbt.run.js';
import { descriptorprocesspsbt } from './rawtransactions/descriptorprocesspsbt.run.js';
import { finalizepsbt } from './rawtransactions/finalizepsbt.run.js';
import { getprivatebroadcastinfo } from './rawtransactions/getprivatebroadcastinfo.run.js';
import { getrawtransaction } from './rawtransactions/getrawtransaction.run.js';
import { joinpsbts } from './rawtransactions/joinpsbts.run.js';
import { sendrawtransaction } from './rawtransactions/sendrawtransaction.run.js';
import { signrawtransactionwithkey } from './rawtransactions/signrawtransactionwithkey.run.js';
import { submitpackage } from './rawtransactions/submitpackage.run.js';
import { testmempoolaccept } from './rawtransactions/testmempoolaccept.run.js';
import { utxoupdatepsbt } from './rawtransactions/utxoupdatepsbt.run.js';
import { enumeratesigners } from './signer/enumeratesigners.run.js';
import { createmultisig } from './util/createmultisig.run.js';
import { deriveaddresses } from './util/deriveaddresses.run.js';
import { estimatesmartfee } from './util/estimatesmartfee.run.js';
import { getdescriptorinfo } from './util/getdescriptorinfo.run.js';
import { getindexinfo } from './util/getindexinfo.run.js';
import { signmessagewithprivkey } from './util/signmessagewithprivkey.run.js';
import { verifymessage } from './util/verifymessage.run.js';
import { getzmqnotifications } from './zmq/getzmqnotifications.run.js';

/** Run functions of methods declared with runs: 'node', by name. */
export const NODE_RUNS: RunTable<NodeContext> = {
  abortprivatebroadcast,
  addconnection,
  addnode,
  addpeeraddress,
  analyzepsbt,
  checkdeclaredblock,
  clearbanned,
  combinepsbt,
  combinerawtransaction,
  createmultisig,
  decodepsbt,
  deriveaddresses,
  descriptorprocesspsbt,
  disconnectnode,
  dumptxoutset,
  enumeratesigners,
  estimaterawfee,
  estimatesmartfee,
  exportasmap,
  finalizepsbt,
  generate,
  generateblock,
  generatetoaddress,
  generatetodescriptor,
  getaddednodeinfo,
  getaddrmaninfo,
  getblock,
  getblockchaininfo,
  getblockfilter,
  getblockfrompeer,
  getblockhash,
  getblockheader,
  getblockstats,
  getblocktemplate,
  getchainstates,
  getchaintips,
  getchaintxstats,
  getconnectioncount,
  getdeploymentinfo,
  getdescriptoractivity,
  getdescriptorinfo,
  getindexinfo,
  getmemoryinfo,
  getmempoolancestors,
  getmempoolcluster,
  getmempooldescendants,
  getmempoolentry,
  getmempoolfeeratediagram,
  getmempoolinfo,
  getmininginfo,
  getnettotals,
  getnetworkhashps,
  getnetworkinfo,
  getnodeaddresses,
  getorphantxs,
  getpeerinfo,
  getprioritisedtransactions,
  getprivatebroadcastinfo,
  getrawaddrman,
  getrawmempool,
  getrawtransaction,
  getrawtransactions,
  getrpcinfo,
  getsv2info,
  gettemplateinfo,
  gettemplateverdict,
  gettxout,
  gettxoutproof,
  gettxoutsetinfo,
  gettxspendingprevout,
  getzmqnotifications,
  importmempool,
  invalidateblock,
  joinpsbts,
  listbanned,
  loadtxoutset,
  logging,
  mockscheduler,
  ping,
  preciousblock,
  prioritisetransaction,
  pruneblockchain,
  reconsiderblock,
  savemempool,
  scanblocks,
  scantxoutset,
  sendrawtransaction,
  setban,
  setmocktime,
  setnetworkactive,
  signmessagewithprivkey,
  signrawtransactionwithkey,
  stop,
  submitblock,
  submitheader,
  submitpackage,
  syncwithvalidationinterfacequeue,
  testmempoolaccept,
  utxoupdatepsbt,
  verifychain,
  verifymessage,
  verifytxoutproof,
  waitforblock,
  waitforblockheight,
  waitfornewblock,
};

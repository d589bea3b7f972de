// Made by src/method-tables.mjs; a line a method.
import type { MethodSpec } from '../declare/types.js';
import { getbestblockhash } from './blockchain/getbestblockhash.spec.js';
import { getblock } from './blockchain/getblock.spec.js';
import { getblockchaininfo } from './blockchain/getblockchaininfo.spec.js';
import { getblockcount } from './blockchain/getblockcount.spec.js';
import { getblockfilter } from './blockchain/getblockfilter.spec.js';
import { getblockfrompeer } from './blockchain/getblockfrompeer.spec.js';
import { getblockhash } from './blockchain/getblockhash.spec.js';
import { getblockheader } from './blockchain/getblockheader.spec.js';
import { getblockstats } from './blockchain/getblockstats.spec.js';
import { getchainstates } from './blockchain/getchainstates.spec.js';
import { getchaintips } from './blockchain/getchaintips.spec.js';
import { getchaintxstats } from './blockchain/getchaintxstats.spec.js';
import { getdeploymentinfo } from './blockchain/getdeploymentinfo.spec.js';
import { getdescriptoractivity } from './blockchain/getdescriptoractivity.spec.js';
import { getdifficulty } from './blockchain/getdifficulty.spec.js';
import { getmempoolancestors } from './blockchain/getmempoolancestors.spec.js';
import { getmempoolcluster } from './blockchain/getmempoolcluster.spec.js';
import { getmempooldescendants } from './blockchain/getmempooldescendants.spec.js';
import { getmempoolentry } from './blockchain/getmempoolentry.spec.js';
import { getmempoolinfo } from './blockchain/getmempoolinfo.spec.js';
import { getrawmempool } from './blockchain/getrawmempool.spec.js';
import { gettxout } from './blockchain/gettxout.spec.js';
import { gettxoutproof } from './blockchain/gettxoutproof.spec.js';
import { gettxoutsetinfo } from './blockchain/gettxoutsetinfo.spec.js';
import { gettxspendingprevout } from './blockchain/gettxspendingprevout.spec.js';
import { importmempool } from './blockchain/importmempool.spec.js';
import { loadtxoutset } from './blockchain/loadtxoutset.spec.js';
import { preciousblock } from './blockchain/preciousblock.spec.js';
import { pruneblockchain } from './blockchain/pruneblockchain.spec.js';
import { savemempool } from './blockchain/savemempool.spec.js';
import { scanblocks } from './blockchain/scanblocks.spec.js';
import { scantxoutset } from './blockchain/scantxoutset.spec.js';
import { verifychain } from './blockchain/verifychain.spec.js';
import { verifytxoutproof } from './blockchain/verifytxoutproof.spec.js';
import { getmemoryinfo } from './control/getmemoryinfo.spec.js';
import { getopenrpcinfo } from './control/getopenrpcinfo.spec.js';
import { getrpcinfo } from './control/getrpcinfo.spec.js';
import { help } from './control/help.spec.js';
import { logging } from './control/logging.spec.js';
import { stop } from './control/stop.spec.js';
import { uptime } from './control/uptime.spec.js';
import { generateblock } from './generating/generateblock.spec.js';
import { generatetoaddress } from './generating/generatetoaddress.spec.js';
import { generatetodescriptor } from './generating/generatetodescriptor.spec.js';
import { addconnection } from './hidden/addconnection.spec.js';
import { addpeeraddress } from './hidden/addpeeraddress.spec.js';
import { discover } from './hidden/discover.spec.js';
import { dumptxoutset } from './hidden/dumptxoutset.spec.js';
import { echo } from './hidden/echo.spec.js';
import { echojson } from './hidden/echojson.spec.js';
import { estimaterawfee } from './hidden/estimaterawfee.spec.js';
import { generate } from './hidden/generate.spec.js';
import { getmempoolfeeratediagram } from './hidden/getmempoolfeeratediagram.spec.js';
import { getorphantxs } from './hidden/getorphantxs.spec.js';
import { getrawaddrman } from './hidden/getrawaddrman.spec.js';
import { invalidateblock } from './hidden/invalidateblock.spec.js';
import { mockscheduler } from './hidden/mockscheduler.spec.js';
import { reconsiderblock } from './hidden/reconsiderblock.spec.js';
import { setmocktime } from './hidden/setmocktime.spec.js';
import { syncwithvalidationinterfacequeue } from './hidden/syncwithvalidationinterfacequeue.spec.js';
import { waitforblock } from './hidden/waitforblock.spec.js';
import { waitforblockheight } from './hidden/waitforblockheight.spec.js';
import { waitfornewblock } from './hidden/waitfornewblock.spec.js';
import { checkdeclaredblock } from './mining/checkdeclaredblock.spec.js';
import { getblocktemplate } from './mining/getblocktemplate.spec.js';
import { getmininginfo } from './mining/getmininginfo.spec.js';
import { getnetworkhashps } from './mining/getnetworkhashps.spec.js';
import { getprioritisedtransactions } from './mining/getprioritisedtransactions.spec.js';
import { getrawtransactions } from './mining/getrawtransactions.spec.js';
import { getsv2info } from './mining/getsv2info.spec.js';
import { gettemplateinfo } from './mining/gettemplateinfo.spec.js';
import { gettemplateverdict } from './mining/gettemplateverdict.spec.js';
import { prioritisetransaction } from './mining/prioritisetransaction.spec.js';
import { submitblock } from './mining/submitblock.spec.js';
import { submitheader } from './mining/submitheader.spec.js';
import { addnode } from './network/addnode.spec.js';
import { clearbanned } from './network/clearbanned.spec.js';
import { disconnectnode } from './network/disconnectnode.spec.js';
import { exportasmap } from './network/exportasmap.spec.js';
import { getaddednodeinfo } from './network/getaddednodeinfo.spec.js';
import { getaddrmaninfo } from './network/getaddrmaninfo.spec.js';
import { getconnectioncount } from './network/getconnectioncount.spec.js';
import { getnettotals } from './network/getnettotals.spec.js';
import { getnetworkinfo } from './network/getnetworkinfo.spec.js';
import { getnodeaddresses } from './network/getnodeaddresses.spec.js';
import { getpeerinfo } from './network/getpeerinfo.spec.js';
import { listbanned } from './network/listbanned.spec.js';
import { ping } from './network/ping.spec.js';
import { setban } from './network/setban.spec.js';
import { setnetworkactive } from './network/setnetworkactive.spec.js';
import { abortprivatebroadcast } from './rawtransactions/abortprivatebroadcast.spec.js';
import { analyzepsbt } from './rawtransactions/analyzepsbt.spec.js';
import { combinepsbt } from './rawtransactions/combinepsbt.spec.js';
import { combinerawtransaction } from './rawtransactions/combinerawtransaction.spec.js';
import { converttopsbt } from './rawtransactions/converttopsbt.spec.js';
import { createpsbt } from './rawtransactions/createpsbt.spec.js';
import { createrawtransaction } from './rawtransactions/createrawtransaction.spec.js';
import { decodepsbt } from './rawtransactions/decodepsbt.spec.js';
import { decoderawtransaction } from './rawtransactions/decoderawtransaction.spec.js';
import { decodescript } from './rawtransactions/decodescript.spec.js';
import { descriptorprocesspsbt } from './rawtransactions/descriptorprocesspsbt.spec.js';
import { finalizepsbt } from './rawtransactions/finalizepsbt.spec.js';
import { fundrawtransaction } from './rawtransactions/fundrawtransaction.spec.js';
import { getprivatebroadcastinfo } from './rawtransactions/getprivatebroadcastinfo.spec.js';
import { getrawtransaction } from './rawtransactions/getrawtransaction.spec.js';
import { joinpsbts } from './rawtransactions/joinpsbts.spec.js';
import { sendrawtransaction } from './rawtransactions/sendrawtransaction.spec.js';
import { signrawtransactionwithkey } from './rawtransactions/signrawtransactionwithkey.spec.js';
import { submitpackage } from './rawtransactions/submitpackage.spec.js';
import { testmempoolaccept } from './rawtransactions/testmempoolaccept.spec.js';
import { utxoupdatepsbt } from './rawtransactions/utxoupdatepsbt.spec.js';
import { enumeratesigners } from './signer/enumeratesigners.spec.js';
import { createmultisig } from './util/createmultisig.spec.js';
import { deriveaddresses } from './util/deriveaddresses.spec.js';
import { estimatesmartfee } from './util/estimatesmartfee.spec.js';
import { getdescriptorinfo } from './util/getdescriptorinfo.spec.js';
import { getindexinfo } from './util/getindexinfo.spec.js';
import { signmessagewithprivkey } from './util/signmessagewithprivkey.spec.js';
import { validateaddress } from './util/validateaddress.spec.js';
import { verifymessage } from './util/verifymessage.spec.js';
import { abandontransaction } from './wallet/abandontransaction.spec.js';
import { abortrescan } from './wallet/abortrescan.spec.js';
import { addhdkey } from './wallet/addhdkey.spec.js';
import { addmultisigaddress } from './wallet/addmultisigaddress.spec.js';
import { backupwallet } from './wallet/backupwallet.spec.js';
import { bumpfee } from './wallet/bumpfee.spec.js';
import { createwallet } from './wallet/createwallet.spec.js';
import { createwalletdescriptor } from './wallet/createwalletdescriptor.spec.js';
import { derivehdkey } from './wallet/derivehdkey.spec.js';
import { dumpprivkey } from './wallet/dumpprivkey.spec.js';
import { dumpwallet } from './wallet/dumpwallet.spec.js';
import { encryptwallet } from './wallet/encryptwallet.spec.js';
import { exportwatchonlywallet } from './wallet/exportwatchonlywallet.spec.js';
import { getaddressesbylabel } from './wallet/getaddressesbylabel.spec.js';
import { getaddressinfo } from './wallet/getaddressinfo.spec.js';
import { getbalance } from './wallet/getbalance.spec.js';
import { getbalances } from './wallet/getbalances.spec.js';
import { gethdkeys } from './wallet/gethdkeys.spec.js';
import { getnewaddress } from './wallet/getnewaddress.spec.js';
import { getrawchangeaddress } from './wallet/getrawchangeaddress.spec.js';
import { getreceivedbyaddress } from './wallet/getreceivedbyaddress.spec.js';
import { getreceivedbylabel } from './wallet/getreceivedbylabel.spec.js';
import { gettransaction } from './wallet/gettransaction.spec.js';
import { getunconfirmedbalance } from './wallet/getunconfirmedbalance.spec.js';
import { getwalletinfo } from './wallet/getwalletinfo.spec.js';
import { importaddress } from './wallet/importaddress.spec.js';
import { importcorewallet } from './wallet/importcorewallet.spec.js';
import { importdescriptors } from './wallet/importdescriptors.spec.js';
import { importmulti } from './wallet/importmulti.spec.js';
import { importprivkey } from './wallet/importprivkey.spec.js';
import { importprunedfunds } from './wallet/importprunedfunds.spec.js';
import { importpubkey } from './wallet/importpubkey.spec.js';
import { importwallet } from './wallet/importwallet.spec.js';
import { keypoolrefill } from './wallet/keypoolrefill.spec.js';
import { listaddressgroupings } from './wallet/listaddressgroupings.spec.js';
import { listdescriptors } from './wallet/listdescriptors.spec.js';
import { listlabels } from './wallet/listlabels.spec.js';
import { listlockunspent } from './wallet/listlockunspent.spec.js';
import { listreceivedbyaddress } from './wallet/listreceivedbyaddress.spec.js';
import { listreceivedbylabel } from './wallet/listreceivedbylabel.spec.js';
import { listsinceblock } from './wallet/listsinceblock.spec.js';
import { listtransactions } from './wallet/listtransactions.spec.js';
import { listunspent } from './wallet/listunspent.spec.js';
import { listwalletdir } from './wallet/listwalletdir.spec.js';
import { listwallets } from './wallet/listwallets.spec.js';
import { loadwallet } from './wallet/loadwallet.spec.js';
import { lockunspent } from './wallet/lockunspent.spec.js';
import { migratewallet } from './wallet/migratewallet.spec.js';
import { psbtbumpfee } from './wallet/psbtbumpfee.spec.js';
import { removeprunedfunds } from './wallet/removeprunedfunds.spec.js';
import { rescanblockchain } from './wallet/rescanblockchain.spec.js';
import { restorewallet } from './wallet/restorewallet.spec.js';
import { send } from './wallet/send.spec.js';
import { sendall } from './wallet/sendall.spec.js';
import { sendmany } from './wallet/sendmany.spec.js';
import { sendtoaddress } from './wallet/sendtoaddress.spec.js';
import { sethdseed } from './wallet/sethdseed.spec.js';
import { setlabel } from './wallet/setlabel.spec.js';
import { settxfee } from './wallet/settxfee.spec.js';
import { setwalletflag } from './wallet/setwalletflag.spec.js';
import { signmessage } from './wallet/signmessage.spec.js';
import { signrawtransactionwithwallet } from './wallet/signrawtransactionwithwallet.spec.js';
import { simulaterawtransaction } from './wallet/simulaterawtransaction.spec.js';
import { unloadwallet } from './wallet/unloadwallet.spec.js';
import { upgradewallet } from './wallet/upgradewallet.spec.js';
import { walletcreatefundedpsbt } from './wallet/walletcreatefundedpsbt.spec.js';
import { walletdisplayaddress } from './wallet/walletdisplayaddress.spec.js';
import { walletlock } from './wallet/walletlock.spec.js';
import { walletpassphrase } from './wallet/walletpassphrase.spec.js';
import { walletpassphrasechange } from './wallet/walletpassphrasechange.spec.js';
import { walletprocesspsbt } from './wallet/walletprocesspsbt.spec.js';
import { getzmqnotifications } from './zmq/getzmqnotifications.spec.js';

/** All declarations, by name. */
export const SPECS: readonly MethodSpec[] = [
  abandontransaction,
  abortprivatebroadcast,
  abortrescan,
  addconnection,
  addhdkey,
  addmultisigaddress,
  addnode,
  addpeeraddress,
  analyzepsbt,
  backupwallet,
  bumpfee,
  checkdeclaredblock,
  clearbanned,
  combinepsbt,
  combinerawtransaction,
  converttopsbt,
  createmultisig,
  createpsbt,
  createrawtransaction,
  createwallet,
  createwalletdescriptor,
  decodepsbt,
  decoderawtransaction,
  decodescript,
  deriveaddresses,
  derivehdkey,
  descriptorprocesspsbt,
  disconnectnode,
  dumpprivkey,
  dumptxoutset,
  dumpwallet,
  echo,
  echojson,
  encryptwallet,
  enumeratesigners,
  estimaterawfee,
  estimatesmartfee,
  exportasmap,
  exportwatchonlywallet,
  finalizepsbt,
  fundrawtransaction,
  generate,
  generateblock,
  generatetoaddress,
  generatetodescriptor,
  getaddednodeinfo,
  getaddressesbylabel,
  getaddressinfo,
  getaddrmaninfo,
  getbalance,
  getbalances,
  getbestblockhash,
  getblock,
  getblockchaininfo,
  getblockcount,
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
  getdifficulty,
  gethdkeys,
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
  getnewaddress,
  getnodeaddresses,
  getopenrpcinfo,
  getorphantxs,
  getpeerinfo,
  getprioritisedtransactions,
  getprivatebroadcastinfo,
  getrawaddrman,
  getrawchangeaddress,
  getrawmempool,
  getrawtransaction,
  getrawtransactions,
  getreceivedbyaddress,
  getreceivedbylabel,
  getrpcinfo,
  getsv2info,
  gettemplateinfo,
  gettemplateverdict,
  gettransaction,
  gettxout,
  gettxoutproof,
  gettxoutsetinfo,
  gettxspendingprevout,
  getunconfirmedbalance,
  getwalletinfo,
  getzmqnotifications,
  help,
  importaddress,
  importcorewallet,
  importdescriptors,
  importmempool,
  importmulti,
  importprivkey,
  importprunedfunds,
  importpubkey,
  importwallet,
  invalidateblock,
  joinpsbts,
  keypoolrefill,
  listaddressgroupings,
  listbanned,
  listdescriptors,
  listlabels,
  listlockunspent,
  listreceivedbyaddress,
  listreceivedbylabel,
  listsinceblock,
  listtransactions,
  listunspent,
  listwalletdir,
  listwallets,
  loadtxoutset,
  loadwallet,
  lockunspent,
  logging,
  migratewallet,
  mockscheduler,
  ping,
  preciousblock,
  prioritisetransaction,
  pruneblockchain,
  psbtbumpfee,
  reconsiderblock,
  removeprunedfunds,
  rescanblockchain,
  restorewallet,
  discover,
  savemempool,
  scanblocks,
  scantxoutset,
  send,
  sendall,
  sendmany,
  sendrawtransaction,
  sendtoaddress,
  setban,
  sethdseed,
  setlabel,
  setmocktime,
  setnetworkactive,
  settxfee,
  setwalletflag,
  signmessage,
  signmessagewithprivkey,
  signrawtransactionwithkey,
  signrawtransactionwithwallet,
  simulaterawtransaction,
  stop,
  submitblock,
  submitheader,
  submitpackage,
  syncwithvalidationinterfacequeue,
  testmempoolaccept,
  unloadwallet,
  upgradewallet,
  uptime,
  utxoupdatepsbt,
  validateaddress,
  verifychain,
  verifymessage,
  verifytxoutproof,
  waitforblock,
  waitforblockheight,
  waitfornewblock,
  walletcreatefundedpsbt,
  walletdisplayaddress,
  walletlock,
  walletpassphrase,
  walletpassphrasechange,
  walletprocesspsbt,
];

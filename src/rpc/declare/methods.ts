// All methods of the node by name; a method that is not here does not exist.

import { type Compat, shows } from '../../policy/compat.js';
import { abandontransaction } from './abandontransaction.js';
import { abortprivatebroadcast } from './abortprivatebroadcast.js';
import { abortrescan } from './abortrescan.js';
import { addconnection } from './addconnection.js';
import { addhdkey } from './addhdkey.js';
import { addmultisigaddress } from './addmultisigaddress.js';
import { addnode } from './addnode.js';
import { addpeeraddress } from './addpeeraddress.js';
import { analyzepsbt } from './analyzepsbt.js';
import { backupwallet } from './backupwallet.js';
import { bumpfee } from './bumpfee.js';
import { checkdeclaredblock } from './checkdeclaredblock.js';
import { clearbanned } from './clearbanned.js';
import { combinepsbt } from './combinepsbt.js';
import { combinerawtransaction } from './combinerawtransaction.js';
import { converttopsbt } from './converttopsbt.js';
import { createmultisig } from './createmultisig.js';
import { createpsbt } from './createpsbt.js';
import { createrawtransaction } from './createrawtransaction.js';
import { createwallet } from './createwallet.js';
import { createwalletdescriptor } from './createwalletdescriptor.js';
import { decodepsbt } from './decodepsbt.js';
import { decoderawtransaction } from './decoderawtransaction.js';
import { decodescript } from './decodescript.js';
import { deriveaddresses } from './deriveaddresses.js';
import { derivehdkey } from './derivehdkey.js';
import { descriptorprocesspsbt } from './descriptorprocesspsbt.js';
import { disconnectnode } from './disconnectnode.js';
import { discover } from './discover.js';
import { dumpprivkey } from './dumpprivkey.js';
import { dumptxoutset } from './dumptxoutset.js';
import { dumpwallet } from './dumpwallet.js';
import { echo } from './echo.js';
import { echojson } from './echojson.js';
import { encryptwallet } from './encryptwallet.js';
import { enumeratesigners } from './enumeratesigners.js';
import { estimaterawfee } from './estimaterawfee.js';
import { estimatesmartfee } from './estimatesmartfee.js';
import { exportasmap } from './exportasmap.js';
import { exportwatchonlywallet } from './exportwatchonlywallet.js';
import { finalizepsbt } from './finalizepsbt.js';
import { fundrawtransaction } from './fundrawtransaction.js';
import { generate } from './generate.js';
import { generateblock } from './generateblock.js';
import { generatetoaddress } from './generatetoaddress.js';
import { generatetodescriptor } from './generatetodescriptor.js';
import { getaddednodeinfo } from './getaddednodeinfo.js';
import { getaddressesbylabel } from './getaddressesbylabel.js';
import { getaddressinfo } from './getaddressinfo.js';
import { getaddrmaninfo } from './getaddrmaninfo.js';
import { getbalance } from './getbalance.js';
import { getbalances } from './getbalances.js';
import { getbestblockhash } from './getbestblockhash.js';
import { getblock } from './getblock.js';
import { getblockchaininfo } from './getblockchaininfo.js';
import { getblockcount } from './getblockcount.js';
import { getblockfilter } from './getblockfilter.js';
import { getblockfrompeer } from './getblockfrompeer.js';
import { getblockhash } from './getblockhash.js';
import { getblockheader } from './getblockheader.js';
import { getblockstats } from './getblockstats.js';
import { getblocktemplate } from './getblocktemplate.js';
import { getchainstates } from './getchainstates.js';
import { getchaintips } from './getchaintips.js';
import { getchaintxstats } from './getchaintxstats.js';
import { getconnectioncount } from './getconnectioncount.js';
import { getdeploymentinfo } from './getdeploymentinfo.js';
import { getdescriptoractivity } from './getdescriptoractivity.js';
import { getdescriptorinfo } from './getdescriptorinfo.js';
import { getdifficulty } from './getdifficulty.js';
import { gethdkeys } from './gethdkeys.js';
import { getindexinfo } from './getindexinfo.js';
import { getmemoryinfo } from './getmemoryinfo.js';
import { getmempoolancestors } from './getmempoolancestors.js';
import { getmempoolcluster } from './getmempoolcluster.js';
import { getmempooldescendants } from './getmempooldescendants.js';
import { getmempoolentry } from './getmempoolentry.js';
import { getmempoolfeeratediagram } from './getmempoolfeeratediagram.js';
import { getmempoolinfo } from './getmempoolinfo.js';
import { getmininginfo } from './getmininginfo.js';
import { getnettotals } from './getnettotals.js';
import { getnetworkhashps } from './getnetworkhashps.js';
import { getnetworkinfo } from './getnetworkinfo.js';
import { getnewaddress } from './getnewaddress.js';
import { getnodeaddresses } from './getnodeaddresses.js';
import { getopenrpcinfo } from './getopenrpcinfo.js';
import { getorphantxs } from './getorphantxs.js';
import { getpeerinfo } from './getpeerinfo.js';
import { getprioritisedtransactions } from './getprioritisedtransactions.js';
import { getprivatebroadcastinfo } from './getprivatebroadcastinfo.js';
import { getrawaddrman } from './getrawaddrman.js';
import { getrawchangeaddress } from './getrawchangeaddress.js';
import { getrawmempool } from './getrawmempool.js';
import { getrawtransaction } from './getrawtransaction.js';
import { getrawtransactions } from './getrawtransactions.js';
import { getreceivedbyaddress } from './getreceivedbyaddress.js';
import { getreceivedbylabel } from './getreceivedbylabel.js';
import { getrpcinfo } from './getrpcinfo.js';
import { getsv2info } from './getsv2info.js';
import { gettemplateinfo } from './gettemplateinfo.js';
import { gettemplateverdict } from './gettemplateverdict.js';
import { gettransaction } from './gettransaction.js';
import { gettxout } from './gettxout.js';
import { gettxoutproof } from './gettxoutproof.js';
import { gettxoutsetinfo } from './gettxoutsetinfo.js';
import { gettxspendingprevout } from './gettxspendingprevout.js';
import { getunconfirmedbalance } from './getunconfirmedbalance.js';
import { getwalletinfo } from './getwalletinfo.js';
import { getzmqnotifications } from './getzmqnotifications.js';
import { help } from './help.js';
import { importaddress } from './importaddress.js';
import { importcorewallet } from './importcorewallet.js';
import { importdescriptors } from './importdescriptors.js';
import { importmempool } from './importmempool.js';
import { importmulti } from './importmulti.js';
import { importprivkey } from './importprivkey.js';
import { importprunedfunds } from './importprunedfunds.js';
import { importpubkey } from './importpubkey.js';
import { importwallet } from './importwallet.js';
import { invalidateblock } from './invalidateblock.js';
import { joinpsbts } from './joinpsbts.js';
import { keypoolrefill } from './keypoolrefill.js';
import { listaddressgroupings } from './listaddressgroupings.js';
import { listbanned } from './listbanned.js';
import { listdescriptors } from './listdescriptors.js';
import { listlabels } from './listlabels.js';
import { listlockunspent } from './listlockunspent.js';
import { listreceivedbyaddress } from './listreceivedbyaddress.js';
import { listreceivedbylabel } from './listreceivedbylabel.js';
import { listsinceblock } from './listsinceblock.js';
import { listtransactions } from './listtransactions.js';
import { listunspent } from './listunspent.js';
import { listwalletdir } from './listwalletdir.js';
import { listwallets } from './listwallets.js';
import { loadtxoutset } from './loadtxoutset.js';
import { loadwallet } from './loadwallet.js';
import { lockunspent } from './lockunspent.js';
import { logging } from './logging.js';
import { mockscheduler } from './mockscheduler.js';
import { ping } from './ping.js';
import { preciousblock } from './preciousblock.js';
import { prioritisetransaction } from './prioritisetransaction.js';
import { pruneblockchain } from './pruneblockchain.js';
import { psbtbumpfee } from './psbtbumpfee.js';
import { reconsiderblock } from './reconsiderblock.js';
import { removeprunedfunds } from './removeprunedfunds.js';
import { rescanblockchain } from './rescanblockchain.js';
import { restorewallet } from './restorewallet.js';
import { savemempool } from './savemempool.js';
import { scanblocks } from './scanblocks.js';
import { scantxoutset } from './scantxoutset.js';
import { send } from './send.js';
import { sendall } from './sendall.js';
import { sendmany } from './sendmany.js';
import { sendrawtransaction } from './sendrawtransaction.js';
import { sendtoaddress } from './sendtoaddress.js';
import { setban } from './setban.js';
import { sethdseed } from './sethdseed.js';
import { setlabel } from './setlabel.js';
import { setmocktime } from './setmocktime.js';
import { setnetworkactive } from './setnetworkactive.js';
import { settxfee } from './settxfee.js';
import { setwalletflag } from './setwalletflag.js';
import { signmessage } from './signmessage.js';
import { signmessagewithprivkey } from './signmessagewithprivkey.js';
import { signrawtransactionwithkey } from './signrawtransactionwithkey.js';
import { signrawtransactionwithwallet } from './signrawtransactionwithwallet.js';
import { simulaterawtransaction } from './simulaterawtransaction.js';
import { stop } from './stop.js';
import { submitblock } from './submitblock.js';
import { submitheader } from './submitheader.js';
import { submitpackage } from './submitpackage.js';
import { syncwithvalidationinterfacequeue } from './syncwithvalidationinterfacequeue.js';
import { testmempoolaccept } from './testmempoolaccept.js';
import type { MethodSpec } from './types.js';
import { unloadwallet } from './unloadwallet.js';
import { upgradewallet } from './upgradewallet.js';
import { uptime } from './uptime.js';
import { utxoupdatepsbt } from './utxoupdatepsbt.js';
import { validateaddress } from './validateaddress.js';
import { verifychain } from './verifychain.js';
import { verifymessage } from './verifymessage.js';
import { verifytxoutproof } from './verifytxoutproof.js';
import { type VersionedMethod, versioned } from './versions.js';
import { waitforblock } from './waitforblock.js';
import { waitforblockheight } from './waitforblockheight.js';
import { waitfornewblock } from './waitfornewblock.js';
import { walletcreatefundedpsbt } from './walletcreatefundedpsbt.js';
import { walletdisplayaddress } from './walletdisplayaddress.js';
import { walletlock } from './walletlock.js';
import { walletpassphrase } from './walletpassphrase.js';
import { walletpassphrasechange } from './walletpassphrasechange.js';
import { walletprocesspsbt } from './walletprocesspsbt.js';

const ALL: readonly MethodSpec[] = [
  scanblocks,
  getdescriptoractivity,
  importmempool,
  getchainstates,
  exportasmap,
  getopenrpcinfo,
  getrawaddrman,
  getblockfrompeer,
  addpeeraddress,
  getaddrmaninfo,
  getnodeaddresses,
  addnode,
  disconnectnode,
  getaddednodeinfo,
  ping,
  setban,
  listbanned,
  checkdeclaredblock,
  clearbanned,
  setnetworkactive,
  abandontransaction,
  abortrescan,
  addhdkey,
  addmultisigaddress,
  analyzepsbt,
  backupwallet,
  bumpfee,
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
  discover,
  dumpprivkey,
  dumptxoutset,
  dumpwallet,
  echo,
  echojson,
  encryptwallet,
  enumeratesigners,
  estimaterawfee,
  estimatesmartfee,
  exportwatchonlywallet,
  finalizepsbt,
  fundrawtransaction,
  generate,
  generateblock,
  generatetoaddress,
  generatetodescriptor,
  getaddressesbylabel,
  getaddressinfo,
  getbalance,
  getbalances,
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
  getdeploymentinfo,
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
  getsv2info,
  getnettotals,
  getnetworkhashps,
  getnetworkinfo,
  getnewaddress,
  getpeerinfo,
  getprioritisedtransactions,
  getprivatebroadcastinfo,
  abortprivatebroadcast,
  getrawchangeaddress,
  getrawmempool,
  getrawtransaction,
  getreceivedbyaddress,
  getreceivedbylabel,
  getrawtransactions,
  getrpcinfo,
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
  importmulti,
  importprivkey,
  importprunedfunds,
  importpubkey,
  importwallet,
  invalidateblock,
  joinpsbts,
  keypoolrefill,
  listaddressgroupings,
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
  mockscheduler,
  preciousblock,
  prioritisetransaction,
  pruneblockchain,
  psbtbumpfee,
  reconsiderblock,
  removeprunedfunds,
  rescanblockchain,
  restorewallet,
  savemempool,
  scantxoutset,
  send,
  sendall,
  sendmany,
  sendrawtransaction,
  sendtoaddress,
  sethdseed,
  setlabel,
  setmocktime,
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
  syncwithvalidationinterfacequeue,
  submitpackage,
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
  addconnection,
  getorphantxs,
  waitfornewblock,
  walletcreatefundedpsbt,
  walletdisplayaddress,
  walletlock,
  walletpassphrase,
  walletpassphrasechange,
  walletprocesspsbt,
];

/** Declarations by method name. */
export const METHODS: ReadonlyMap<string, MethodSpec> = new Map(ALL.map((spec) => [spec.name, spec]));

const made = new Map<string, ReadonlyMap<string, VersionedMethod>>();

/**
 * Declarations of the methods that there are, as a version has them. Made once.
 * @param wallets false with -disablewallet: the wallets' methods do not exist
 */
export function methodsOf(wallets: boolean, compat: Compat): ReadonlyMap<string, VersionedMethod> {
  const key = `${compat.name} ${wallets}`;
  let methods = made.get(key);
  if (methods === undefined) {
    const there = ALL.filter((spec) => shows(compat, spec) && (wallets || spec.category !== 'wallet'));
    made.set(key, (methods = new Map(there.map((spec) => [spec.name, versioned(spec, compat)]))));
  }
  return methods;
}

// Made by src/method-tables.mjs; a line a method.
import type { WalletContext } from '../context/wallet.js';
import type { RunTable } from '../dispatch.js';
import { fundrawtransaction } from './rawtransactions/fundrawtransaction.run.js';
import { abandontransaction } from './wallet/abandontransaction.run.js';
import { abortrescan } from './wallet/abortrescan.run.js';
import { addhdkey } from './wallet/addhdkey.run.js';
import { addmultisigaddress } from './wallet/addmultisigaddress.run.js';
import { backupwallet } from './wallet/backupwallet.run.js';
import { bumpfee } from './wallet/bumpfee.run.js';
import { createwallet } from './wallet/createwallet.run.js';
import { createwalletdescriptor } from './wallet/createwalletdescriptor.run.js';
import { derivehdkey } from './wallet/derivehdkey.run.js';
import { dumpprivkey } from './wallet/dumpprivkey.run.js';
import { dumpwallet } from './wallet/dumpwallet.run.js';
import { encryptwallet } from './wallet/encryptwallet.run.js';
import { exportwatchonlywallet } from './wallet/exportwatchonlywallet.run.js';
import { getaddressesbylabel } from './wallet/getaddressesbylabel.run.js';
import { getaddressinfo } from './wallet/getaddressinfo.run.js';
import { getbalance } from './wallet/getbalance.run.js';
import { getbalances } from './wallet/getbalances.run.js';
import { gethdkeys } from './wallet/gethdkeys.run.js';
import { getnewaddress } from './wallet/getnewaddress.run.js';
import { getrawchangeaddress } from './wallet/getrawchangeaddress.run.js';
import { getreceivedbyaddress } from './wallet/getreceivedbyaddress.run.js';
import { getreceivedbylabel } from './wallet/getreceivedbylabel.run.js';
import { gettransaction } from './wallet/gettransaction.run.js';
import { getunconfirmedbalance } from './wallet/getunconfirmedbalance.run.js';
import { getwalletinfo } from './wallet/getwalletinfo.run.js';
import { importaddress } from './wallet/importaddress.run.js';
import { importcorewallet } from './wallet/importcorewallet.run.js';
import { importdescriptors } from './wallet/importdescriptors.run.js';
import { importmulti } from './wallet/importmulti.run.js';
import { importprivkey } from './wallet/importprivkey.run.js';
import { importprunedfunds } from './wallet/importprunedfunds.run.js';
import { importpubkey } from './wallet/importpubkey.run.js';
import { importwallet } from './wallet/importwallet.run.js';
import { keypoolrefill } from './wallet/keypoolrefill.run.js';
import { listaddressgroupings } from './wallet/listaddressgroupings.run.js';
import { listdescriptors } from './wallet/listdescriptors.run.js';
import { listlabels } from './wallet/listlabels.run.js';
import { listlockunspent } from './wallet/listlockunspent.run.js';
import { listreceivedbyaddress } from './wallet/listreceivedbyaddress.run.js';
import { listreceivedbylabel } from './wallet/listreceivedbylabel.run.js';
import { listsinceblock } from './wallet/listsinceblock.run.js';
import { listtransactions } from './wallet/listtransactions.run.js';
import { listunspent } from './wallet/listunspent.run.js';
import { listwalletdir } from './wallet/listwalletdir.run.js';
import { listwallets } from './wallet/listwallets.run.js';
import { loadwallet } from './wallet/loadwallet.run.js';
import { lockunspent } from './wallet/lockunspent.run.js';
import { migratewallet } from './wallet/migratewallet.run.js';
import { psbtbumpfee } from './wallet/psbtbumpfee.run.js';
import { removeprunedfunds } from './wallet/removeprunedfunds.run.js';
import { rescanblockchain } from './wallet/rescanblockchain.run.js';
import { restorewallet } from './wallet/restorewallet.run.js';
import { send } from './wallet/send.run.js';
import { sendall } from './wallet/sendall.run.js';
import { sendmany } from './wallet/sendmany.run.js';
import { sendtoaddress } from './wallet/sendtoaddress.run.js';
import { sethdseed } from './wallet/sethdseed.run.js';
import { setlabel } from './wallet/setlabel.run.js';
import { settxfee } from './wallet/settxfee.run.js';
import { setwalletflag } from './wallet/setwalletflag.run.js';
import { signmessage } from './wallet/signmessage.run.js';
import { signrawtransactionwithwallet } from './wallet/signrawtransactionwithwallet.run.js';
import { simulaterawtransaction } from './wallet/simulaterawtransaction.run.js';
import { unloadwallet } from './wallet/unloadwallet.run.js';
import { upgradewallet } from './wallet/upgradewallet.run.js';
import { walletcreatefundedpsbt } from './wallet/walletcreatefundedpsbt.run.js';
import { walletdisplayaddress } from './wallet/walletdisplayaddress.run.js';
import { walletlock } from './wallet/walletlock.run.js';
import { walletpassphrase } from './wallet/walletpassphrase.run.js';
import { walletpassphrasechange } from './wallet/walletpassphrasechange.run.js';
import { walletprocesspsbt } from './wallet/walletprocesspsbt.run.js';

/** Run functions of methods declared with runs: 'wallet', by name. */
export const WALLET_RUNS: RunTable<WalletContext> = {
  abandontransaction,
  abortrescan,
  addhdkey,
  addmultisigaddress,
  backupwallet,
  bumpfee,
  createwallet,
  createwalletdescriptor,
  derivehdkey,
  dumpprivkey,
  dumpwallet,
  encryptwallet,
  exportwatchonlywallet,
  fundrawtransaction,
  getaddressesbylabel,
  getaddressinfo,
  getbalance,
  getbalances,
  gethdkeys,
  getnewaddress,
  getrawchangeaddress,
  getreceivedbyaddress,
  getreceivedbylabel,
  gettransaction,
  getunconfirmedbalance,
  getwalletinfo,
  importaddress,
  importcorewallet,
  importdescriptors,
  importmulti,
  importprivkey,
  importprunedfunds,
  importpubkey,
  importwallet,
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
  loadwallet,
  lockunspent,
  migratewallet,
  psbtbumpfee,
  removeprunedfunds,
  rescanblockchain,
  restorewallet,
  send,
  sendall,
  sendmany,
  sendtoaddress,
  sethdseed,
  setlabel,
  settxfee,
  setwalletflag,
  signmessage,
  signrawtransactionwithwallet,
  simulaterawtransaction,
  unloadwallet,
  upgradewallet,
  walletcreatefundedpsbt,
  walletdisplayaddress,
  walletlock,
  walletpassphrase,
  walletpassphrasechange,
  walletprocesspsbt,
};

// The run functions of the wallet's calls, all on the node thread.
import type { RunTable } from '../dispatch.js';
import type { NodeContext } from '../node/context.js';
import { addmultisigaddress } from './addmultisigaddress.js';
import { getaddressesbylabel, getnewaddress, getrawchangeaddress, keypoolrefill, listlabels, sethdseed, setlabel } from './addresses.js';
import { getbalance, getbalances, getunconfirmedbalance, listlockunspent, lockunspent } from './coins.js';
import { dumpprivkey, dumpwallet, importwallet } from './dump.js';
import { encryptwallet, walletlock, walletpassphrase, walletpassphrasechange } from './encryption.js';
import { exportwatchonlywallet } from './exportwatchonlywallet.js';
import { enumeratesigners, walletdisplayaddress } from './external-signer.js';
import { getaddressinfo } from './getaddressinfo.js';
import { getwalletinfo } from './getwalletinfo.js';
import { addhdkey, createwalletdescriptor, derivehdkey, gethdkeys } from './hd-keys.js';
import { abandontransaction, gettransaction } from './history.js';
import { listsinceblock, listtransactions } from './history-list.js';
import { importdescriptors, listdescriptors } from './importdescriptors.js';
import { importmulti } from './importmulti.js';
import { importaddress, importprivkey, importpubkey } from './imports.js';
import {
  backupwallet,
  createwallet,
  importcorewallet,
  listwalletdir,
  listwallets,
  loadwallet,
  restorewallet,
  setwalletflag,
  unloadwallet,
  upgradewallet,
} from './lifecycle.js';
import { listaddressgroupings } from './listaddressgroupings.js';
import { listunspent } from './listunspent.js';
import { importprunedfunds, removeprunedfunds } from './prunedfunds.js';
import { getreceivedbyaddress, getreceivedbylabel, listreceivedbyaddress, listreceivedbylabel } from './received.js';
import { abortrescan, rescanblockchain } from './rescan.js';
import { followed, refusing, usingKeys } from './select.js';
import { signmessage } from './signmessage.js';
import { signrawtransactionwithwallet } from './signrawtransactionwithwallet.js';
import { simulaterawtransaction } from './simulaterawtransaction.js';
import { sendall } from './spend-all.js';
import { bumpfee, psbtbumpfee } from './spend-bump.js';
import { fundrawtransaction } from './spend-fund.js';
import { send, walletcreatefundedpsbt } from './spend-psbt.js';
import { sendmany, sendtoaddress, settxfee } from './spend-send.js';
import { walletprocesspsbt } from './walletprocesspsbt.js';

/**
 * Calls that use private keys beyond one turn of the loop. Imports take theirs in by work that has the wallet for
 * itself (Wallet.alone).
 */
const WITH_KEYS: RunTable<NodeContext> = {
  addhdkey,
  bumpfee,
  createwalletdescriptor,
  derivehdkey,
  dumpwallet,
  gethdkeys,
  keypoolrefill,
  listdescriptors,
  send,
  sendall,
  sendmany,
  sendtoaddress,
  sethdseed,
  signrawtransactionwithwallet,
  walletpassphrase,
  walletprocesspsbt,
};

const OF_WALLETS: RunTable<NodeContext> = {
  abandontransaction,
  abortrescan,
  addmultisigaddress,
  backupwallet,
  dumpprivkey,
  encryptwallet,
  exportwatchonlywallet,
  fundrawtransaction,
  getaddressesbylabel,
  getaddressinfo,
  getbalance,
  getbalances,
  getnewaddress,
  getrawchangeaddress,
  getreceivedbyaddress,
  getreceivedbylabel,
  gettransaction,
  getunconfirmedbalance,
  getwalletinfo,
  importaddress,
  importdescriptors,
  importmulti,
  importprivkey,
  importprunedfunds,
  importpubkey,
  importwallet,
  listaddressgroupings,
  listlabels,
  listlockunspent,
  listreceivedbyaddress,
  listreceivedbylabel,
  listsinceblock,
  listtransactions,
  listunspent,
  lockunspent,
  removeprunedfunds,
  rescanblockchain,
  psbtbumpfee,
  walletcreatefundedpsbt,
  setlabel,
  settxfee,
  setwalletflag,
  signmessage,
  simulaterawtransaction,
  upgradewallet,
  walletdisplayaddress,
  walletlock,
  walletpassphrasechange,
};

const OF_THE_MANAGER: RunTable<NodeContext> = {
  createwallet,
  enumeratesigners,
  importcorewallet,
  listwalletdir,
  listwallets,
  loadwallet,
  restorewallet,
  unloadwallet,
};

export const WALLET_RUNS: RunTable<NodeContext> = {
  ...OF_THE_MANAGER,
  ...Object.fromEntries(Object.entries(WITH_KEYS).map(([name, run]) => [name, refusing(usingKeys(followed(run)))])),
  ...Object.fromEntries(Object.entries(OF_WALLETS).map(([name, run]) => [name, refusing(followed(run))])),
};

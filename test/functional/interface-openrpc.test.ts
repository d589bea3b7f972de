// Tests rpc.discover of a running node, and checks real results against the result schemas in the document that it
// returns.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { schemaFaults } from '../framework/schema-faults.js';
import { until } from '../framework/until.js';

/** Methods whose results were checked against the document. */
const seen = new Set<string>();
/**
 * The test must check at least this many methods. It does not check methods that end the node, always fail, or need
 * options and peers of their own.
 */
const CHECKED = 156;

t.test('returns results that match the OpenRPC schema', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-openrpc-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  const [port, metrics] = [await freePort(), await freePort()];
  const [node, peer] = [
    await Daemon.start(
      '-fallbackfee=0.0001',
      '-keypool=5',
      '-txindex',
      '-blockfilterindex',
      `-port=${port}`,
      '-bind=127.0.0.1',
      `-metricsport=${metrics}`,
    ),
    await Daemon.start(),
  ];
  t.teardown(() => Promise.all([node.remove(), peer.remove()]));
  const document = await node.call('rpc.discover');
  const served = await fetch(`http://127.0.0.1:${metrics}/openrpc.json`, { headers: { connection: 'close' } });
  t.equal(served.status, 200);
  t.same(await served.json(), document, 'the metrics port has the same one');

  /** Calls a method and checks its result against the result schema in the document. */
  const call = async (name: string, ...params: unknown[]) => {
    const result = await node.call(name, ...params);
    const { schema } = document.methods.find((one: { name: string }) => one.name === name).result;
    t.same(schemaFaults(schema, result, true, name), [], `${name} ${JSON.stringify(params).slice(0, 60)}`);
    seen.add(name);
    return result;
  };

  await call('createwallet', 'w');
  const address = await call('getnewaddress', 'mine', 'legacy');
  const hashes = await call('generatetoaddress', 103, address);
  for (const verbosity of [0, 1]) await call('getblock', hashes[0], verbosity);
  await call('getblockheader', hashes[0], false);
  await call('getblockhash', 1);
  await call('validateaddress', address);
  await call('decodescript', '51');
  await call('createrawtransaction', [], [{ data: '00' }]);
  const state = ['getblockcount', 'getbestblockhash', 'getdifficulty', 'getblockchaininfo', 'getchaintips', 'getmempoolinfo'];
  const others = ['getrawmempool', 'getmininginfo', 'getnetworkhashps', 'getpeerinfo', 'logging', 'uptime', 'help', 'rpc.discover'];
  for (const name of [...state, ...others]) await call(name);
  for (const name of ['getwalletinfo', 'getbalances', 'getbalance', 'getunconfirmedbalance']) await call(name);
  for (const type of ['bech32', 'p2sh-segwit']) await call('getaddressinfo', await call('getnewaddress', '', type));
  const change = await call('getrawchangeaddress');
  await call('getaddressinfo', address);
  await call('setlabel', change, 'change');
  await call('listlabels');
  await call('getaddressesbylabel', 'mine');
  const payee = await call('getnewaddress', 'other');
  const txid = await call('sendtoaddress', payee, 1, 'a comment', 'somebody', false, true);
  await call('psbtbumpfee', (await call('bumpfee', txid)).txid);
  await call('sendmany', '', { [payee]: 0.5 });
  await call('gettransaction', txid, true, true);
  await call('listtransactions');
  await call('listsinceblock');
  await call('listunspent', 0);
  await call('getrawmempool', true);
  await call('send', { [payee]: 0.25 });
  const sent = await call('sendtoaddress', payee, 1);
  await call('getmempoolentry', sent);
  await call('getmempoolancestors', sent, true);
  await call('getmempooldescendants', sent, true);
  await call('getrawtransaction', sent, true);
  await call('prioritisetransaction', sent, 0, 1000);
  await call('getprioritisedtransactions');
  await call('getblocktemplate', { rules: ['segwit'] });
  await call('gettemplateinfo');
  await call('savemempool');
  const funded = await call('walletcreatefundedpsbt', [], { [payee]: 1 });
  await call('decodepsbt', funded.psbt);
  await call('analyzepsbt', funded.psbt);
  const processed = await call('walletprocesspsbt', funded.psbt);
  await call('decodepsbt', processed.psbt);
  await call('combinepsbt', [funded.psbt, processed.psbt]);
  await call('utxoupdatepsbt', funded.psbt);
  await call('finalizepsbt', processed.psbt);
  await call('finalizepsbt', processed.psbt, false);
  const raw = await call('createrawtransaction', [], { [payee]: 2 });
  await call('converttopsbt', await call('createrawtransaction', [{ txid, vout: 0 }], { [payee]: 2 }));
  const empty = await call('createpsbt', [{ txid, vout: 1 }], { [payee]: 2 });
  await call('joinpsbts', [empty, await call('createpsbt', [{ txid, vout: 0 }], { [payee]: 1 })]);
  const full = await call('fundrawtransaction', raw);
  const signed = await call('signrawtransactionwithwallet', full.hex);
  await call('testmempoolaccept', [signed.hex]);
  await call('combinerawtransaction', [signed.hex, signed.hex]);
  await call('decoderawtransaction', signed.hex);
  await call('sendrawtransaction', signed.hex);
  await call('submitpackage', [signed.hex]);
  await call('getrawtransactions', [(await node.call('decoderawtransaction', signed.hex)).hash]);
  await call('generatetoaddress', 1, address);
  await call('listlockunspent');
  const [coin] = await node.call('listunspent');
  await call('lockunspent', false, [{ txid: coin.txid, vout: coin.vout }]);
  await call('listlockunspent');
  await call('listaddressgroupings');
  await call('listreceivedbyaddress', 0, true);
  await call('listreceivedbylabel', 0, true);
  await call('getreceivedbyaddress', payee);
  await call('getreceivedbylabel', 'other');
  const signature = await call('signmessage', address, 'words');
  await call('verifymessage', address, signature, 'words');
  const key = await call('dumpprivkey', address);
  await call('signmessagewithprivkey', key, 'words');
  await call('signrawtransactionwithkey', full.hex, [key]);
  await call('settxfee', 0.0002);
  await call('setwalletflag', 'avoid_reuse', true);
  await call('backupwallet', path.join(dir, 'backup'));
  await call('restorewallet', 'restored', path.join(dir, 'backup'));
  await call('listwallets');
  await call('listwalletdir');
  await call('unloadwallet', 'restored');
  await call('loadwallet', 'restored');
  await node.call('unloadwallet', 'restored');
  await call('dumpwallet', path.join(dir, 'dump'));
  await call('importwallet', path.join(dir, 'dump'));
  await call('importaddress', 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', '', false);
  await call('importmulti', [{ scriptPubKey: { address: 'mpLQjfK79b7CCV4VMJWEWAj5Mpx8Up5zxB' }, timestamp: 'now' }], { rescan: false });
  await call('rescanblockchain', 100);
  await call('abortrescan');
  await call('keypoolrefill', 10);
  const { pubkey } = await node.call('getaddressinfo', payee);
  await call('importpubkey', pubkey, '', false);
  await call('importprivkey', key, '', false);
  await call('sethdseed');
  await call('upgradewallet');
  const proof = await call('gettxoutproof', [(await node.call('getblock', hashes[1])).tx[0]], hashes[1]);
  await call('verifytxoutproof', proof);
  const mined = (await node.call('getblock', hashes[1], 2)).tx[0];
  await call('removeprunedfunds', mined.txid);
  await call('importprunedfunds', mined.hex, proof);
  await call('scantxoutset', 'start', [`addr(${address})`]);
  await call('scantxoutset', 'status');
  await call('getblockfilter', hashes[1]);
  await call('getindexinfo');
  await call('gettxoutsetinfo');
  await call('dumptxoutset', path.join(dir, 'coins'));
  await call('getblockstats', 103);
  await call('getchaintxstats');
  await call('estimatesmartfee', 6);
  await call('estimaterawfee', 6);
  await call('getdescriptorinfo', `addr(${address})`);
  await call('deriveaddresses', (await node.call('getdescriptorinfo', `addr(${address})`)).descriptor);
  await call('createmultisig', 1, [(await node.call('getaddressinfo', address)).pubkey]);
  await call('addmultisigaddress', 1, [address]);
  await call('decodescript', (await node.call('getaddressinfo', address)).scriptPubKey);
  await call('generateblock', address, []);
  await call('generatetodescriptor', 1, `addr(${address})`);
  const tip = await node.call('getbestblockhash');
  await call('submitblock', await node.call('getblock', tip, 0));
  await call('submitheader', await node.call('getblockheader', tip, false));
  await call('invalidateblock', tip);
  await call('reconsiderblock', tip);
  await call('echo');
  await call('echojson');
  await call('getblockheader', hashes[1]);
  await call('getblock', hashes[1], 2);
  await call('gettxout', txid, 7);
  await call('waitfornewblock', 1);
  await call('waitforblock', hashes[0], 1);
  await call('waitforblockheight', 1, 1);
  await call('preciousblock', hashes.at(-1));
  await call('verifychain', 1, 1);
  for (const name of ['getrpcinfo', 'getmemoryinfo', 'getzmqnotifications']) await call(name);
  await call('setmocktime', 0);
  await call('mockscheduler', 1);
  await call('syncwithvalidationinterfacequeue');

  await call('getaddednodeinfo');
  // The added address has no listener, so getpeerinfo lists only the other node.
  await call('addnode', `127.0.0.1:${await freePort()}`, 'add');
  await call('getaddednodeinfo');
  await peer.call('addnode', `127.0.0.1:${port}`, 'onetry');
  await until('the peer has said who it is', async () =>
    (await node.call('getpeerinfo')).some((one: { version: number }) => one.version > 0),
  );
  await call('getpeerinfo');
  await call('ping');
  await call('disconnectnode', '', (await node.call('getpeerinfo'))[0].id);
  for (const name of ['getnettotals', 'getnetworkinfo', 'getnodeaddresses', 'getaddrmaninfo']) await call(name);
  await call('addpeeraddress', '8.8.8.8', 8333);
  await call('getnodeaddresses');
  await call('setban', '203.0.113.7', 'add');
  await call('listbanned');
  await call('clearbanned');
  await call('setnetworkactive', false);
  await call('getconnectioncount');

  await call('createwallet', 'd', false, false, '', false, true);
  await node.call('unloadwallet', 'w');
  const { checksum } = await node.call('getdescriptorinfo', `wpkh(${key})`);
  await call('importdescriptors', [{ desc: `wpkh(${key})#${checksum}`, timestamp: 'now' }]);
  await call('listdescriptors');
  await call('getwalletinfo');
  await call('getaddressinfo', await call('getnewaddress'));
  const encrypted = await call('encryptwallet', 'secret');
  t.type(encrypted, 'string');
  await call('walletpassphrase', 'secret', 60);
  await call('walletpassphrasechange', 'secret', 'other');
  await call('walletlock');
  t.ok(seen.size >= CHECKED, `${seen.size} methods`);
});

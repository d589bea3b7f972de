// Wallet calls that no recording goes through: transactions by proof, answers about addresses that change, signed
// messages, a dump and its way back. Real processes, regtest.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { CallError, Daemon } from '../framework/daemon.js';

async function refusal(promise: Promise<unknown>): Promise<[code: number, message: string] | null> {
  try {
    await promise;
    return null;
  } catch (error) {
    return error instanceof CallError ? [error.code, error.message] : [0, String(error)];
  }
}

// One node for all tests. Each of them makes its own wallets and finds none loaded.
const node = await Daemon.startFor(t, '-keypool=5', '-fallbackfee=0.0001');
t.beforeEach(async () => {
  for (const name of await node.call('listwallets')) await node.call('unloadwallet', name);
});

t.test('imports and removes transactions by merkle proof', async (t) => {
  await node.call('createwallet', 'source');
  const address = await node.call('getnewaddress');
  const wif = await node.call('dumpprivkey', address);
  const hashes: string[] = await node.call('generatetoaddress', 102, address);
  const txids: string[] = [];
  for (const hash of hashes.slice(0, 2)) txids.push((await node.call('getblock', hash)).tx[0]);
  const raw: string[] = [];
  const proofs: string[] = [];
  for (const [i, txid] of txids.entries()) {
    raw.push(await node.call('getrawtransaction', txid, false, hashes[i]));
    proofs.push(await node.call('gettxoutproof', [txid], hashes[i]));
  }
  await node.call('unloadwallet', 'source');
  await node.call('createwallet', 'w', false, true);
  t.same(await refusal(node.call('importprunedfunds', raw[0], proofs[0])), [
    -5,
    'No addresses in wallet correspond to included transaction',
  ]);
  await node.call('importprivkey', wif, '', false);
  t.equal(await node.call('getbalance'), 0);

  t.same(await refusal(node.call('importprunedfunds', '00', proofs[0])), [
    -22,
    'TX decode failed. Make sure the tx has at least one input.',
  ]);
  t.same(await refusal(node.call('importprunedfunds', raw[0], 'xy')), [-8, "proof must be hexadecimal string (not 'xy')"]);
  t.same(await refusal(node.call('importprunedfunds', raw[0], proofs[1])), [-5, "Transaction given doesn't exist in proof"]);
  const otherRoot = Buffer.from(proofs[0], 'hex');
  otherRoot[40] ^= 1;
  t.same(await refusal(node.call('importprunedfunds', raw[0], otherRoot.toString('hex'))), [-5, 'Something wrong with merkleblock']);
  const otherBlock = Buffer.from(proofs[0], 'hex');
  otherBlock[76] ^= 1;
  t.same(await refusal(node.call('importprunedfunds', raw[0], otherBlock.toString('hex'))), [-5, 'Block not found in chain']);
  t.equal(await node.call('getbalance'), 0, 'nothing of all that came in');

  t.equal(await node.call('importprunedfunds', raw[0], proofs[0]), null);
  t.equal(await node.call('getbalance'), 50);
  t.same(
    (await node.call('listunspent')).map(({ txid, confirmations }: { txid: string; confirmations: number }) => [txid, confirmations]),
    [[txids[0], 102]],
  );
  await node.call('importprunedfunds', raw[1], proofs[1]);
  t.equal(await node.call('getbalance'), 100);
  t.equal(await node.call('removeprunedfunds', txids[0]), null);
  t.equal(await node.call('getbalance'), 50);
  t.same(await refusal(node.call('removeprunedfunds', txids[0])), [-8, 'Transaction does not exist in wallet.']);
  t.same(await refusal(node.call('removeprunedfunds', 'ab')), [-8, "txid must be of length 64 (not 2, for 'ab')"]);
  await node.kill();
  await node.up();
  await node.call('loadwallet', 'w');
  t.equal(await node.call('getbalance'), 50, 'it is on disk');
  t.equal((await node.call('getwalletinfo')).txcount, 1);
  // A reorganisation takes it out of its block like any other.
  await node.call('invalidateblock', hashes[1]);
  t.equal(await node.call('getbalance'), 0);
});

t.test('reports changed address data in getaddressinfo', async (t) => {
  await node.call('createwallet', 'a');
  await node.call('createwallet', 'b');
  const address = await node.callWallet('a', 'getnewaddress', 'first');
  const publicKey: string = (await node.callWallet('a', 'getaddressinfo', address)).pubkey;
  const facts = async (wallet: string) => {
    // Asked twice: the second answer may be one that was kept.
    const first = await node.callWallet(wallet, 'getaddressinfo', address);
    const second = await node.callWallet(wallet, 'getaddressinfo', address);
    t.same(second, first);
    const { ismine, iswatchonly, solvable, labels, ischange } = second;
    return [ismine, iswatchonly, solvable, labels, ischange];
  };
  t.same(await facts('a'), [true, false, true, ['first'], false]);
  t.same(await facts('b'), [false, false, false, [], false]);
  await node.callWallet('a', 'setlabel', address, 'second');
  t.same(await facts('a'), [true, false, true, ['second'], false]);
  await node.callWallet('b', 'importaddress', address, 'theirs', false);
  t.same(await facts('b'), [false, true, false, ['theirs'], false]);
  await node.callWallet('b', 'importpubkey', publicKey, 'theirs', false);
  t.same(await facts('b'), [false, true, true, ['theirs'], false]);
  await node.callWallet('b', 'importprivkey', await node.callWallet('a', 'dumpprivkey', address), 'ours', false);
  t.same(await facts('b'), [true, false, true, ['ours'], false]);
});

t.test('signs and verifies messages', async (t) => {
  for (const descriptors of [false, true]) {
    const name = descriptors ? 'd' : 'l';
    await node.call('createwallet', name, false, false, null, false, descriptors);
    const address = await node.call('getnewaddress', '', 'legacy');
    const message = `grüße from ${name}`;
    const signature = await node.call('signmessage', address, message);
    t.equal(await node.call('verifymessage', address, signature, message), true);
    t.equal(await node.call('verifymessage', address, signature, `${message}!`), false);
    if (!descriptors) {
      t.equal(
        signature,
        await node.call('signmessagewithprivkey', await node.call('dumpprivkey', address), message),
        'as with the key itself',
      );
    }
    const segwit = await node.call('getnewaddress', '', 'bech32');
    t.same(await refusal(node.call('signmessage', segwit, 'x')), [-3, 'Address does not refer to key']);
    t.same(await refusal(node.call('signmessage', 'nonsense', 'x')), [-5, 'Invalid address']);
    t.same(await refusal(node.call('signmessage', 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE', 'x')), [-4, 'Private key not available']);
    await node.call('encryptwallet', 'phrase');
    t.equal((await refusal(node.call('signmessage', address, message)))?.[0], -13);
    await node.call('walletpassphrase', 'phrase', 60);
    t.equal(await node.call('signmessage', address, message), signature, 'the same key, the same signature');
    await node.call('unloadwallet', name);
  }
});

t.test('dumps a wallet and imports the dump', async (t) => {
  await node.call('createwallet', 'from');
  const labels = ['', 'plain', 'with space', 'percent % and # and =', 'grüße'];
  const addresses: string[] = [];
  for (const [i, label] of labels.entries())
    addresses.push(await node.call('getnewaddress', label, ['legacy', 'p2sh-segwit', 'bech32'][i % 3]));
  const change = await node.call('getrawchangeaddress');
  const multisig = await node.call('addmultisigaddress', 2, addresses.slice(0, 2), 'both', 'legacy');
  await node.call('generatetoaddress', 3, addresses[4]);
  await node.call('generatetoaddress', 101, multisig.address);
  const wifs = new Map<string, string>();
  for (const address of [...addresses, change]) wifs.set(address, await node.call('dumpprivkey', address));
  const balance = await node.call('getbalances');
  t.equal(balance.mine.trusted, 200);

  const file = path.join(node.dir, 'dump.txt');
  t.same(await node.call('dumpwallet', file), { filename: file });
  t.equal((await refusal(node.call('dumpwallet', file)))?.[0], -8, 'nothing is overwritten');
  t.equal(fs.statSync(file).mode & 0o777, 0o600, 'for its owner alone');
  const dump = fs.readFileSync(file, 'utf8');
  for (const [address, wif] of wifs) {
    const line = dump.split('\n').find((text) => text.startsWith(`${wif} `));
    t.match(line, new RegExp(`addr=.*${address}`), 'every key with its address');
  }
  await node.call('unloadwallet', 'from');

  await node.call('createwallet', 'to', false, true);
  t.equal((await refusal(node.call('importwallet', path.join(node.dir, 'none'))))?.[0], -8);
  t.equal(await node.call('importwallet', file), null);
  for (const [address, wif] of wifs) t.equal(await node.call('dumpprivkey', address), wif);
  for (const [i, address] of addresses.entries()) {
    const info = await node.call('getaddressinfo', address);
    t.equal(info.ismine, true);
    // As Core does, a label of any of a key's addresses comes back on its P2PKH address.
    const plain = (
      await node.call('deriveaddresses', (await node.call('getdescriptorinfo', `pkh(${info.pubkey ?? info.embedded.pubkey})`)).descriptor)
    )[0];
    t.same((await node.call('getaddressinfo', plain)).labels, [labels[i]], `label ${JSON.stringify(labels[i])}`);
  }
  t.equal((await node.call('getaddressinfo', multisig.address)).solvable, true, 'scripts came too');
  t.same(await node.call('getbalances'), balance, 'and what they were paid, found by the scan');
  // A second dump has the same set of keys and scripts.
  const again = path.join(node.dir, 'again.txt');
  await node.call('dumpwallet', again);
  const secrets = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(' ', 1)[0])
      .sort();
  t.same(secrets(fs.readFileSync(again, 'utf8')), secrets(dump));

  // One line that cannot be added, and nothing of the file is.
  const mutated = path.join(node.dir, 'spoilt.txt');
  fs.writeFileSync(mutated, `${dump}${'51'.repeat(521)} 0 script=1 # addr=none\n`);
  await node.call('unloadwallet', 'to');
  await node.call('createwallet', 'none', false, true);
  t.same(await refusal(node.call('importwallet', mutated)), [-4, 'Error adding some keys/scripts to wallet']);
  t.equal((await node.call('getaddressinfo', addresses[0])).ismine, false);
  await node.call('createwallet', 'watch', true);
  const onWatch = (method: string, ...params: unknown[]): Promise<unknown> =>
    node.post(JSON.stringify({ id: 1, method, params }), { path: '/wallet/watch' }).then((reply) => {
      const { error, result } = JSON.parse(reply.body);
      if (error) throw new CallError(error.code, error.message);
      return result;
    });
  t.same(await refusal(onWatch('importwallet', file)), [-4, 'Importing wallets is disabled when private keys are disabled']);
});

t.test('leaves out errors of inputs when the wallet has no keys to sign with', async (t) => {
  const raw = await node.call('createrawtransaction', [{ txid: '11'.repeat(32), vout: 0 }], { data: '00' });
  const unknown = { txid: '11'.repeat(32), vout: 0, witness: [], scriptSig: '', sequence: 0xfffffffd };
  const said = { hex: raw, complete: false, errors: [{ ...unknown, error: 'Input not found or already spent' }] };
  const wallets = [
    ['blank of descriptors', { hex: raw, complete: false }, [false, true, '', false, true]],
    ['of descriptors', said, [false, false, '', false, true]],
    ['blank', said, [false, true]],
  ] as const;
  for (const [name, expected, options] of wallets) {
    await node.call('createwallet', name, ...options);
    t.same(await node.callWallet(name, 'signrawtransactionwithwallet', raw), expected, name);
  }
  await node.call('unloadwallet', 'blank');
  await node.call('loadwallet', 'blank');
  t.same(await node.callWallet('blank', 'signrawtransactionwithwallet', raw), { hex: raw, complete: false }, 'blank, and loaded again');
});

t.test('answers descriptor wallets like Core 31 by default, and getaddressinfo like 0.21.1', async (t) => {
  t.same(
    await node.call('createwallet', 'newest', false, false, null, false, true),
    { name: 'newest', warning: '' },
    'no warning of an experiment',
  );
  const address = await node.call('getnewaddress');
  await node.call('generatetoaddress', 101, address);
  const [coin] = await node.call('listunspent');
  const { descriptors } = await node.call('listdescriptors');
  const parents = descriptors.map(({ desc }: { desc: string }) => desc);
  t.match(coin.desc, /^wpkh\(\[[0-9a-f]{8}\/84h\/1h\/0h\/0\/0\]/);
  t.equal(coin.parent_descs.length, 1);
  t.ok(parents.includes(coin.parent_descs[0]), coin.parent_descs[0]);
  const info = await node.call('getaddressinfo', address);
  t.match(info.desc, /^wpkh\(\[[0-9a-f]{8}\/84'\/1'\/0'\/0\/0\]/);
  t.match(info.hdkeypath, /^m\/84'\/1'\/0'\/0\/0$/);
  t.equal(info.parent_desc, coin.parent_descs[0]);

  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  const named = async (method: string, params: object): Promise<any> =>
    JSON.parse((await node.post(JSON.stringify({ id: 1, method, params }))).body).result;
  const input = [{ txid: coin.txid, vout: coin.vout }];
  const outputs = [{ [address]: 1 }];
  const decoded = async (psbt: string): Promise<unknown> => (await node.call('decodepsbt', psbt)).tx;
  const replaceable = { vin: [{ sequence: 0xffff_fffd }] };
  t.match(await node.call('decoderawtransaction', await node.call('createrawtransaction', input, outputs)), replaceable);
  t.match(await decoded(await node.call('createpsbt', input, outputs)), replaceable);
  t.match(await decoded((await node.call('walletcreatefundedpsbt', input, outputs)).psbt), replaceable);
  const sent = await node.call('send', outputs, null, 'unset', 2);
  const payment = await node.call('getrawtransaction', sent.txid, true);
  t.match(payment, replaceable);
  t.ok(payment.locktime > 0 && payment.locktime <= (await node.call('getblockcount')), 'near the tip');
  const entry = await node.call('getmempoolentry', sent.txid);
  t.equal(entry.chunkweight, entry.weight, 'alone in its chunk');
  t.equal(entry.fees.chunk, entry.fees.base);
  const bumped = await named('psbtbumpfee', { txid: sent.txid, psbt_version: 2, fee_rate: 10 });
  t.equal((await node.call('decodepsbt', bumped.psbt)).psbt_version, 2, 'an option by its own name');
  const all = await named('sendall', { recipients: [address], solving_data: {}, add_to_wallet: false, fee_rate: 2 });
  t.equal(all.complete, true);
  t.same(await refusal(node.call('listlabels', 'friends')), [
    -8,
    "Invalid 'purpose' argument, must be a known purpose string, typically 'send', or 'receive'.",
  ]);
  t.same(await refusal(node.call('loadwallet', 'newest')), [-35, 'Wallet "newest" is already loaded.']);
});

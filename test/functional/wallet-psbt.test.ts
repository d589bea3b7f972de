// Tests PSBTs through all roles, from creator to extractor, with a running daemon: a payment of one wallet, a multisig
// of two wallets, the errors of each call, and wallets with taproot descriptors on a network where these are allowed
// (signet). Real processes.
import t from 'tap';
import { CallError, Daemon } from '../framework/daemon.js';

async function fault(node: Daemon, method: string, ...params: unknown[]): Promise<string> {
  try {
    await node.call(method, ...params);
    return 'none';
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return `${error.code} ${error.message}`;
  }
}

/** A call to one wallet. */
const inWallet =
  (node: Daemon, name: string) =>
  async (method: string, ...params: unknown[]) => {
    const { body } = await node.post(JSON.stringify({ id: 1, method, params }), { path: `/wallet/${name}` });
    const { result, error } = JSON.parse(body);
    if (error) throw new CallError(error.code, error.message);
    return result;
  };

t.test('passes a PSBT through every role', async (t) => {
  const node = await Daemon.startFor(t, '-compat=0.21.1', '-keypool=5', '-fallbackfee=0.0002');
  await node.call('createwallet', 'payer');
  await node.call('createwallet', 'other');
  const payer = inWallet(node, 'payer');
  const other = inWallet(node, 'other');
  const address = await payer('getnewaddress', '', 'bech32');
  await node.call('generatetoaddress', 101, address);
  const [coin] = await payer('listunspent');
  const target = await other('getnewaddress', '', 'p2sh-segwit');
  const inputs = [{ txid: coin.txid, vout: coin.vout }];
  const outputs = [{ [target]: 20 }, { [address]: 29.999 }];

  const raw = await node.call('createrawtransaction', inputs, outputs);
  const blank = await node.call('createpsbt', inputs, outputs);
  t.equal(await node.call('converttopsbt', raw), blank, 'the same by both ways');
  const decoded = await node.call('decodepsbt', blank);
  t.same(Object.keys(decoded), ['tx', 'unknown', 'inputs', 'outputs'], 'no fee is known');
  t.equal(decoded.tx.txid, (await node.call('decoderawtransaction', raw)).txid);
  t.same(decoded.inputs, [{}]);
  t.same(await node.call('analyzepsbt', blank), {
    inputs: [{ has_utxo: false, is_final: false, next: 'updater' }],
    next: 'updater',
  });

  const updated = await node.call('utxoupdatepsbt', blank);
  const seen = await node.call('decodepsbt', updated);
  t.same(seen.inputs[0].witness_utxo.amount, 50);
  t.equal(seen.inputs[0].witness_utxo.scriptPubKey.address, address);
  t.same(Object.keys(seen.inputs[0].witness_utxo.scriptPubKey), ['asm', 'hex', 'type', 'address']);
  t.equal(seen.fee, 0.001);
  const { inputs: analysed, next, fee } = await node.call('analyzepsbt', updated);
  t.equal(analysed[0].missing.pubkeys.length, 1, 'a key hash is all that the chain tells');
  t.same([next, fee], ['updater', 0.001]);

  const described = await payer('walletprocesspsbt', blank, false);
  t.equal(described.complete, false);
  const facts = (await node.call('decodepsbt', described.psbt)).inputs[0];
  t.ok(facts.non_witness_utxo && facts.bip32_derivs, 'the transaction, and where the key comes from');
  t.notOk((await node.call('decodepsbt', (await payer('walletprocesspsbt', blank, false, 'ALL', false)).psbt)).inputs[0].bip32_derivs);
  t.equal((await node.call('analyzepsbt', described.psbt)).next, 'signer');
  const strangers = await other('walletprocesspsbt', described.psbt);
  t.equal(strangers.complete, false);
  t.ok((await node.call('decodepsbt', strangers.psbt)).outputs[0].redeem_script, 'the receiver tells about its output');

  await payer('encryptwallet', 'secret words');
  t.equal((await payer('walletprocesspsbt', described.psbt)).complete, false, 'a locked wallet signs nothing and says so by that alone');
  await payer('walletpassphrase', 'secret words', 600);
  const signed = await payer('walletprocesspsbt', strangers.psbt);
  t.equal(signed.complete, true);
  const { inputs: done, estimated_vsize: size, estimated_feerate: rate, next: last } = await node.call('analyzepsbt', signed.psbt);
  t.same([done[0].is_final, last], [true, 'extractor']);
  const whole = await node.call('finalizepsbt', signed.psbt);
  t.equal(whole.complete, true);
  t.equal(whole.psbt, undefined);
  const { vsize } = await node.call('decoderawtransaction', whole.hex);
  t.same([size, rate], [vsize, Number((Math.floor((100_000 * 1000) / vsize) / 1e8).toFixed(8))]);
  t.same(Object.keys(await node.call('finalizepsbt', signed.psbt, false)), ['psbt', 'complete']);
  const { hex } = await payer('signrawtransactionwithwallet', raw);
  t.equal(whole.hex, hex, 'the same bytes as by signing at once');
  const txid = await node.call('sendrawtransaction', whole.hex, 0);
  await node.call('generatetoaddress', 1, address);
  t.equal((await node.call('getrawmempool')).length, 0);
  t.equal((await node.call('gettxout', txid, 0)).value, 20);

  t.equal(await fault(node, 'decodepsbt', 'x'), '-22 TX decode failed invalid base64');
  t.equal(await fault(node, 'decodepsbt', ''), '-22 TX decode failed CDataStream::read(): end of data: iostream error');
  t.equal(await fault(node, 'decodepsbt', 'cHNidP8AAA=='), '-22 TX decode failed No unsigned transcation was provided: iostream error');
  t.equal(
    await fault(node, 'decodepsbt', Buffer.from('psbu\xff').toString('base64')),
    '-22 TX decode failed Invalid PSBT magic bytes: iostream error',
  );
  const longer = Buffer.concat([Buffer.from(blank, 'base64'), Buffer.alloc(1)]).toString('base64');
  t.equal(await fault(node, 'decodepsbt', longer), '-22 TX decode failed extra data after PSBT');
  t.equal(await fault(node, 'decodepsbt', 1), '-3 Expected type string, got number');
  t.equal(await fault(node, 'combinepsbt', []), "-8 Parameter 'txs' cannot be empty");
  const alien = await node.call('createpsbt', inputs, [{ [target]: 1 }]);
  t.equal(await fault(node, 'combinepsbt', [blank, alien]), '-8 PSBTs not compatible (different transactions)');
  t.equal(await fault(node, 'joinpsbts', [blank]), '-8 At least two PSBTs are required to join PSBTs.');
  t.equal(await fault(node, 'joinpsbts', [blank, alien]), `-8 Input ${coin.txid}:${coin.vout} exists in multiple PSBTs`);
  t.equal(await fault(node, 'converttopsbt', whole.hex), '-22 Inputs must not have scriptSigs and scriptWitnesses');
  t.equal(await node.call('converttopsbt', whole.hex, true), blank);
  t.equal(await fault(node, 'converttopsbt', raw, false, true), 'none');
  t.equal(await fault(node, 'converttopsbt', '00'), '-22 TX decode failed');
  t.equal(await fault(node, 'createpsbt', [], {}, -1), '-8 Invalid parameter, locktime out of range');
  const mismatch = await payer('walletprocesspsbt', described.psbt, false, 'NONE').then(() => 'none');
  t.equal(mismatch, 'none', 'the type matters to signers only');
});

t.test('adds whole previous transactions to a PSBT from the mempool and the transaction index', async (t) => {
  const node = await Daemon.startFor(t, '-txindex', '-fallbackfee=0.0002');
  await node.call('createwallet', 'payer');
  const address = await node.call('getnewaddress', '', 'bech32');
  await node.call('generatetoaddress', 101, address);
  const [confirmed] = await node.call('listunspent');
  const txid = await node.call('sendtoaddress', address, 1);
  const coins = [confirmed, { txid, vout: 0 }, { txid, vout: 1 }];
  const blank = await node.call('createpsbt', coins, [{ [address]: 49 }]);
  const { desc } = await node.call('getaddressinfo', address);
  for (const updated of [
    await node.call('utxoupdatepsbt', blank, [desc]),
    (await node.call('descriptorprocesspsbt', blank, [desc])).psbt,
  ]) {
    const { inputs } = await node.call('decodepsbt', updated);
    t.same(
      inputs.map((input: { non_witness_utxo?: { txid: string } }) => [input.non_witness_utxo?.txid, 'witness_utxo' in input]),
      coins.map((coin) => [coin.txid, true]),
    );
  }
});

t.test('signs a multisig of two wallets with PSBTs', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=5');
  for (const name of ['a', 'b', 'c']) await node.call('createwallet', name);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => inWallet(node, name));
  const keys: string[] = [];
  for (const wallet of [a, b, c]) keys.push((await wallet('getaddressinfo', await wallet('getnewaddress', '', 'bech32'))).pubkey);
  const { address, redeemScript, descriptor } = await node.call('createmultisig', 2, keys, 'p2sh-segwit');
  for (const wallet of [a, b]) await wallet('addmultisigaddress', 2, keys, '', 'p2sh-segwit');
  await node.call('generatetoaddress', 1, address);
  await node.call('generatetoaddress', 100, address);
  const block = await node.call('getblock', await node.call('getblockhash', 1));
  const target = await a('getnewaddress');
  const blank = await node.call('createpsbt', [{ txid: block.tx[0], vout: 0 }], [{ [target]: 49.999 }]);
  const bare = await node.call('utxoupdatepsbt', blank);
  t.same((await node.call('decodepsbt', bare)).inputs, [{}], 'P2SH may be anything');
  const updated = await node.call('utxoupdatepsbt', blank, [descriptor]);
  const [input] = (await node.call('decodepsbt', updated)).inputs;
  t.equal(input.witness_script.hex, redeemScript);
  t.equal(input.bip32_derivs.length, 3);
  t.same((await node.call('analyzepsbt', updated)).inputs[0].missing.signatures.length, 3);
  const first = await a('walletprocesspsbt', updated);
  const second = await b('walletprocesspsbt', updated);
  t.same([first.complete, second.complete], [false, false]);
  t.equal((await node.call('analyzepsbt', first.psbt)).next, 'signer');
  const combined = await node.call('combinepsbt', [first.psbt, second.psbt]);
  t.equal(Object.keys((await node.call('decodepsbt', combined)).inputs[0].partial_signatures).length, 2);
  t.equal((await node.call('analyzepsbt', combined)).next, 'finalizer');
  t.equal((await node.call('finalizepsbt', first.psbt)).complete, false);
  const { hex, complete } = await node.call('finalizepsbt', combined);
  t.equal(complete, true);
  t.equal((await node.call('testmempoolaccept', [hex], 0))[0].allowed, true);
  t.equal((await b('walletprocesspsbt', first.psbt)).complete, true, 'one after the other does too');
  const third = await c('walletprocesspsbt', first.psbt);
  t.equal(third.complete, true, 'it need not know the scripts: they are in the PSBT');

  const all = await a('walletprocesspsbt', updated, true, 'ALL|ANYONECANPAY');
  t.equal(Object.values<string>((await node.call('decodepsbt', all.psbt)).inputs[0].partial_signatures)[0].slice(-2), '81');
  // Insert a sighash type of NONE before the redeem script of the input.
  const typed = Buffer.from(updated, 'base64')
    .toString('hex')
    .replace('010422', '010304020000000104' + '22');
  const asked = Buffer.from(typed, 'hex').toString('base64');
  t.equal((await node.call('decodepsbt', asked)).inputs[0].sighash, 'NONE');
  const mismatch = '-22 Specified sighash value does not match value stored in PSBT';
  t.equal(await a('walletprocesspsbt', asked).catch((error: CallError) => `${error.code} ${error.message}`), mismatch);
  const none = await a('walletprocesspsbt', asked, true, 'NONE');
  t.equal(Object.values<string>((await node.call('decodepsbt', none.psbt)).inputs[0].partial_signatures)[0].slice(-2), '02');
  const other = await node.call('getblock', await node.call('getblockhash', 2));
  const more = await node.call('createpsbt', [{ txid: other.tx[0], vout: 0 }], [{ [target]: 1 }]);
  const joined = await node.call('decodepsbt', await node.call('joinpsbts', [combined, more]));
  t.equal(joined.inputs.length, 2);
  t.equal(joined.outputs.length, 2);
  t.notOk(
    joined.inputs.some((one: object) => 'partial_signatures' in one),
    'signatures of other transactions are left out',
  );
});

t.test('signs with taproot wallets on signet', async (t) => {
  const node = await Daemon.startFor(t, '-signet');
  await node.call('createwallet', 'tap', false, true, '', false, true);
  const tap = inWallet(node, 'tap');
  const master = 'tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK';
  const nobody = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';
  const texts = [
    `tr(${master}/86h/1h/0h/0/*)`,
    `tr(${nobody},{pk(${master}/1/*),and_v(v:pk(${master}/2/*),older(10))})`,
    `wsh(and_v(v:pk(${master}/3/*),after(100)))`,
    // A single key whose point has odd y.
    'tr(cUeKHd5orzT3mz8P9pxyREHfsWtVfgsfDjiZZBcjUBAaGk1BTj7N)',
  ];
  t.match(await tap('getnewaddress', '', 'bech32m').catch(({ code }) => code), -4, 'nothing is active');
  for (const [text, internal] of [
    [`tr(${master}/86h/1h/1h/0/*)`, false],
    [`tr(${master}/86h/1h/1h/1/*)`, true],
  ] as const) {
    const desc = `${text}#${(await node.call('getdescriptorinfo', text)).checksum}`;
    t.match(await tap('importdescriptors', [{ desc, active: true, internal, range: [0, 5], timestamp: 'now' }]), [{ success: true }]);
    const given = internal ? await tap('getrawchangeaddress', 'bech32m') : await tap('getnewaddress', '', 'bech32m');
    t.equal(given, (await node.call('deriveaddresses', desc, [0, 0]))[0], 'active ones give out addresses');
  }
  t.match(
    await tap('walletcreatefundedpsbt', [], [{ [await tap('getnewaddress', '', 'bech32m')]: 1 }], 0, { change_type: 'bech32m' }).catch(
      ({ message }) => message,
    ),
    /^Fee estimation failed/,
    'change too',
  );
  await node.call('createwallet', 'old');
  t.match(await inWallet(node, 'old')('getnewaddress', '', 'bech32m').catch(({ message }) => message), /^Error: Legacy wallets cannot/);
  const scripts: string[] = [];
  for (const text of texts) {
    const { checksum, isrange } = await node.call('getdescriptorinfo', text);
    const range = isrange ? { range: [0, 5] } : {};
    const [result] = await tap('importdescriptors', [{ desc: `${text}#${checksum}`, timestamp: 'now', ...range }]);
    t.equal(result.success, true, JSON.stringify(result));
    const [address] = await node.call('deriveaddresses', `${text}#${checksum}`, ...(isrange ? [[3, 3]] : []));
    scripts.push((await node.call('validateaddress', address)).scriptPubKey);
  }
  const inputs = scripts.map((_, vout) => ({ txid: '11'.repeat(32), vout, sequence: 10 }));
  const prevtxs = scripts.map((scriptPubKey, vout) => ({ txid: '11'.repeat(32), vout, scriptPubKey, amount: 1 }));
  const raw = await node.call('createrawtransaction', inputs, [{ data: '00' }], 100);
  const signed = await tap('signrawtransactionwithwallet', raw, prevtxs);
  t.equal(signed.complete, true, JSON.stringify(signed.errors));
  const { vin } = await node.call('decoderawtransaction', signed.hex);
  t.equal(vin[0].txinwitness[0].length, 128, 'DEFAULT');
  t.equal(vin[1].txinwitness.length, 3, 'by a leaf');
  t.equal(vin[2].txinwitness.length, 2);
  const typed = await tap('signrawtransactionwithwallet', raw, prevtxs, 'ALL|ANYONECANPAY');
  t.equal(typed.complete, true);
  t.match((await node.call('decoderawtransaction', typed.hex)).vin[0].txinwitness[0], /^[0-9a-f]{128}81$/);
  t.equal((await tap('signrawtransactionwithwallet', signed.hex, prevtxs)).hex, signed.hex, 'what is signed stays');
  const [{ amount: _, ...untold }, ...others] = prevtxs;
  const refusal = { code: -3, message: `Missing amount for CTxOut(nValue=21000000.00000000, scriptPubKey=${scripts[0].slice(0, 30)})` };
  await t.rejects(tap('signrawtransactionwithwallet', raw, [untold, ...others]), refusal);
});

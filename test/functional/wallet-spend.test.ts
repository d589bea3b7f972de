// Tests payments of wallets of a running daemon: the effect of each option, the errors, and that fees, the wallet's
// records and the mempool agree. Real processes, regtest.
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { Daemon, refusal } from '../framework/daemon.js';
import { until } from '../framework/until.js';

const FALLBACK = '-fallbackfee=0.0002';
const OUTSIDE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
/** Amounts are compared in satoshis, because sums of doubles are inexact. */
const sats = (amount: number): number => Math.round(amount * 1e8);

/** Wallets that tests load, by the number of coinbases that they have to spend. All coinbases of a wallet pay one address. */
const WALLETS: Readonly<Record<string, number>> = {
  ...{ arguments: 12, whole: 3, kinds: 8, many: 6, concurrent: 10, chain: 1, funding: 6, bumping: 3, watched: 1 },
  ...{ clusters: 1, refused: 1, selecting: 4, grouped: 4, deprecated: 2, restarting: 3, feeless: 1 },
};
const OPTIONS = ['-keypool=10', FALLBACK];

// A stopped node with these wallets. Its chain ends with a hundred blocks that pay no wallet.
const prepared = await Daemon.startFor(t, ...OPTIONS);
const addresses = new Map<string, string>();
for (const [name, coins] of Object.entries(WALLETS)) {
  await prepared.call('createwallet', name, false, false, null, false, false);
  addresses.set(name, await prepared.call('getnewaddress'));
  await prepared.call('generatetoaddress', coins, addresses.get(name));
  await prepared.call('unloadwallet', name);
}
await prepared.call('generatetoaddress', 100, OUTSIDE);
await prepared.stop();

/** A node of its own over the prepared folder. It is removed after the test. */
async function nodeWith(t: Test, ...options: string[]): Promise<Daemon> {
  const node = await Daemon.over(prepared.dir, ...OPTIONS, ...options);
  t.teardown(() => node.remove());
  await node.up();
  return node;
}

/** Empties the mempool and loads one of the wallets as the only one, also at each later start. @returns the address of its coins */
async function rich(node: Daemon, name: string): Promise<string> {
  if ((await node.call('getmempoolinfo')).size > 0) await node.call('generatetoaddress', 1, OUTSIDE);
  for (const other of await node.call('listwallets')) await node.call('unloadwallet', other);
  await node.call('loadwallet', name, true);
  return addresses.get(name)!;
}

/** For all tests that need no options of their own. */
const node = await nodeWith(t);
/** For tests of options that do not affect each other. */
const limited = await nodeWith(t, '-limitclustercount=3', '-avoidpartialspends=1', '-deprecatedrpc=bumpfee');

t.test('sendtoaddress applies each of its arguments', async (t) => {
  await rich(node, 'arguments');
  const tip = await node.call('getblockcount');
  const outputs = async (txid: string): Promise<{ paid: number | undefined; count: number; sequence: number; locktime: number }> => {
    const { decoded } = await node.call('gettransaction', txid, true, true);
    const paid = decoded.vout.find(({ scriptPubKey }: { scriptPubKey: { addresses: string[] } }) => scriptPubKey.addresses[0] === OUTSIDE);
    return { paid: paid?.value, count: decoded.vout.length, sequence: decoded.vin[0].sequence, locktime: decoded.locktime };
  };
  const plain = await node.call('sendtoaddress', OUTSIDE, 1.5, 'what for', 'whom');
  const record = await node.call('gettransaction', plain);
  t.equal(record.comment, 'what for');
  t.equal(record.to, 'whom');
  t.equal(record.amount, -1.5);
  t.equal(record.trusted, true);
  const entry = await node.call('getmempoolentry', plain);
  t.equal(entry.unbroadcast, true);
  t.equal(sats(-record.fee), sats(entry.fees.base));
  t.equal(sats(entry.fees.base), 20 * 141, 'the fallback rate for the size of one coin, one payment, change');
  t.match(await outputs(plain), { paid: 1.5, count: 2, sequence: 0xfffffffd });
  const { locktime } = await outputs(plain);
  t.ok(locktime > tip - 100 && locktime <= tip, 'not to be mined below the tip');

  const less = await node.call('sendtoaddress', OUTSIDE, 2, '', '', true);
  t.equal(sats((await outputs(less)).paid!), 2e8 - 20 * 141, 'the fee comes off the amount');
  t.notOk('comment' in (await node.call('gettransaction', less)), 'empty comments are none');
  t.equal((await outputs(await node.call('sendtoaddress', OUTSIDE, 1, null, null, null, false))).sequence, 0xfffffffe);
  const priced = await node.call('sendtoaddress', OUTSIDE, 1, null, null, null, null, null, null, null, 3.5, true);
  t.equal(priced.fee_reason, 'User Specified Fee');
  t.equal(sats((await node.call('getmempoolentry', priced.txid)).fees.base), Math.ceil(3.5 * 141));
  t.equal((await outputs(priced.txid)).sequence, 0xfffffffd, 'who names a rate may want to raise it');
  t.match(await node.call('sendtoaddress', OUTSIDE, 1, null, null, null, false, 3, 'Economical', null, null, true), {
    fee_reason: 'Fallback fee',
  });

  t.equal(await refusal(node.call('sendtoaddress', OUTSIDE, 10_000)), '-6 Insufficient funds');
  t.equal(await refusal(node.call('sendtoaddress', OUTSIDE, 0.00000293)), '-6 Transaction amount too small');
  t.equal(await refusal(node.call('sendtoaddress', 'nonsense', 1)), '-5 Invalid Bitcoin address: nonsense');
  t.equal(await refusal(node.call('sendtoaddress', OUTSIDE, -1)), '-3 Amount out of range');
  t.equal(await refusal(node.call('sendtoaddress', OUTSIDE, '1.123456789')), '-3 Invalid amount');
  t.equal(
    await refusal(node.call('sendtoaddress', OUTSIDE, 1, '', '', false, false, null, null, null, 0.5)),
    '-6 Fee rate (0.500 sat/vB) is lower than the minimum fee rate setting (1.000 sat/vB).\nConsider modifying -mintxfee (1.000 sat/vB) or -minrelaytxfee (0.100 sat/vB).',
  );
  t.equal(
    await refusal(node.call('sendtoaddress', OUTSIDE, 1, '', '', false, false, 6, null, null, 5)),
    '-8 Cannot specify both conf_target and fee_rate. Please provide either a confirmation target in blocks for automatic fee estimation, or an explicit fee rate.',
  );
  t.equal(
    await refusal(node.call('sendtoaddress', OUTSIDE, 1, '', '', false, false, null, 'economical', null, 5)),
    '-8 Cannot specify both estimate_mode and fee_rate',
  );
  t.match(await refusal(node.call('sendtoaddress', OUTSIDE, 1, '', '', false, false, 0)), /^-8 Invalid conf_target, must be between 1 and/);
  t.match(await refusal(node.call('sendtoaddress', OUTSIDE, 1, '', '', false, false, 6, 'soon')), /^-8 Invalid estimate_mode parameter/);
  t.equal(
    await refusal(node.call('sendtoaddress', OUTSIDE, 1, '', '', false, false, null, null, true)),
    '-4 wallet does not have the "avoid reuse" feature enabled',
  );
  t.match(
    await refusal(node.call('sendtoaddress', OUTSIDE, 1, '', '', false, false, null, null, null, 100_000)),
    '-6 Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)',
  );

  t.equal(await node.call('settxfee', 0.0005), true);
  t.equal((await node.call('getwalletinfo')).paytxfee, 0.0005);
  const set = await node.call('sendtoaddress', OUTSIDE, 1, null, null, null, null, null, null, null, null, true);
  t.equal(set.fee_reason, 'PayTxFee set');
  t.equal(sats((await node.call('getmempoolentry', set.txid)).fees.base), 50 * 141);
  t.equal(await refusal(node.call('settxfee', 0.0000005)), '-8 txfee cannot be less than min relay tx fee (0.00000100 BTC/kvB)');
  t.equal(await refusal(node.call('settxfee', 0.2)), '-8 txfee cannot be more than wallet max tx fee (0.10000000 BTC/kvB)');
  t.equal(await node.call('settxfee', 0), true);
});

t.test('sends the whole balance to the last satoshi', async (t) => {
  await rich(node, 'whole');
  const { trusted } = (await node.call('getbalances')).mine;
  const txid = await node.call('sendtoaddress', OUTSIDE, trusted, '', '', true);
  const { decoded } = await node.call('gettransaction', txid, true, true);
  const { fees } = await node.call('getmempoolentry', txid);
  t.equal(decoded.vin.length, 3);
  t.equal(decoded.vout.length, 1, 'no change');
  t.equal(sats(decoded.vout[0].value), sats(trusted) - sats(fees.base));
  t.equal(await refusal(node.call('sendtoaddress', OUTSIDE, 0.1)), '-6 Insufficient funds');
});

t.test('pays the fee of the signed size for every kind of coin', async (t) => {
  await rich(node, 'kinds');
  const keys = await Promise.all([1, 2, 3].map(() => node.call('getnewaddress')));
  const kinds = new Map<string, string>([
    ['legacy', await node.call('getnewaddress', '', 'legacy')],
    ['nested', await node.call('getnewaddress', '', 'p2sh-segwit')],
    ['bech32', await node.call('getnewaddress', '', 'bech32')],
    ['multisig', (await node.call('addmultisigaddress', 2, keys, '', 'legacy')).address],
    ['nested multisig', (await node.call('addmultisigaddress', 2, keys, '', 'p2sh-segwit')).address],
    ['witness multisig', (await node.call('addmultisigaddress', 2, keys, '', 'bech32')).address],
  ]);
  await node.call('sendmany', '', Object.fromEntries([...kinds.values()].map((address) => [address, 1])));
  await node.call('generatetoaddress', 1, OUTSIDE);
  for (const [kind, address] of kinds) {
    const [coin] = await node.call('listunspent', 1, 9999, [address]);
    const inputs = [{ txid: coin.txid, vout: coin.vout }];
    for (const changeType of ['legacy', 'p2sh-segwit', 'bech32']) {
      const options = { inputs, add_inputs: false, add_to_wallet: false, change_type: changeType };
      const { hex } = await node.call('send', { [OUTSIDE]: 0.3 }, null, null, 10, options);
      const [{ allowed, vsize, fees }] = await node.call('testmempoolaccept', [hex]);
      t.equal(allowed, true, `${kind} is signed`);
      // Signatures may be some bytes shorter than the fee allows for. Core counts one byte for the push of a redeem
      // script past 75 bytes, which takes two.
      const least = kind === 'multisig' ? -10 : 0;
      const overpaid = sats(fees.base) - vsize * 10;
      t.ok(overpaid >= least && overpaid <= 100, `${kind}, change ${changeType}: ${overpaid} satoshis over ${vsize} bytes`);
    }
  }
});

t.test('sendmany pays a thousand outputs, splits the fee, and refuses wrong arguments', async (t) => {
  await rich(node, 'many');
  const batch = Array.from({ length: 1000 }, (_, id) => ({ id, method: 'getnewaddress' }));
  const miners: string[] = JSON.parse((await node.post(JSON.stringify(batch))).body).map(({ result }: { result: string }) => result);
  const amounts = Object.fromEntries(miners.map((address, i) => [address, (100_000 + i) / 1e8]));
  const txid = await node.call('sendmany', '', amounts, 6, 'payday', [], null, null, 'unset', 20);
  const { decoded, comment, fee } = await node.call('gettransaction', txid, true, true);
  t.equal(comment, 'payday');
  t.equal(decoded.vout.length, 1001);
  const paid = new Map<string, number>(
    decoded.vout.map(({ value, scriptPubKey }: { value: number; scriptPubKey: { addresses: string[] } }) => [
      scriptPubKey.addresses[0],
      value,
    ]),
  );
  t.ok(
    miners.every((address) => paid.get(address) === amounts[address]),
    'everybody gets his amount',
  );
  t.notSame(
    decoded.vout.map(({ scriptPubKey }: { scriptPubKey: { addresses: string[] } }) => scriptPubKey.addresses[0]).slice(0, 20),
    miners.slice(0, 20),
    'in no particular order',
  );
  const { vsize } = await node.call('getmempoolentry', txid);
  t.ok(Math.abs(sats(-fee) - vsize * 20) <= 40);
  await node.call('generatetoaddress', 1, OUTSIDE);
  t.equal((await node.call('gettransaction', txid)).confirmations, 1);

  const [a, b, c] = miners;
  const shared = await node.call('sendmany', '', { [a]: 1, [b]: 2, [c]: 3 }, 1, '', [a, b]);
  const tx = (await node.call('gettransaction', shared, true, true)).decoded;
  const value = (address: string): number =>
    sats(tx.vout.find(({ scriptPubKey }: { scriptPubKey: { addresses: string[] } }) => scriptPubKey.addresses[0] === address).value);
  const fees = sats((await node.call('getmempoolentry', shared)).fees.base);
  t.equal(value(c), 3e8);
  t.equal(1e8 - value(a) + (2e8 - value(b)), fees);
  t.ok(Math.abs(1e8 - value(a) - (2e8 - value(b))) <= 1, 'in equal shares');

  t.equal(await refusal(node.call('sendmany', 'x', { [a]: 1 })), '-8 Dummy value must be set to ""');
  t.equal(await refusal(node.call('sendmany', '', {})), '-6 Transaction must have at least one recipient');
  t.equal(await refusal(node.call('sendmany', '', { nowhere: 1 })), '-5 Invalid Bitcoin address: nowhere');
  t.equal(
    await refusal(node.call('sendmany', '', { [a]: 1, [a.toUpperCase()]: 1 })),
    `-8 Invalid parameter, duplicated address: ${a.toUpperCase()}`,
  );
});

t.test('spends different coins in concurrent payments', async (t) => {
  await rich(node, 'concurrent');
  const txids = await Promise.all(Array.from({ length: 30 }, (_, i) => node.call('sendtoaddress', OUTSIDE, 1 + i / 10)));
  t.equal(new Set(txids).size, 30);
  const pool = await node.call('getrawmempool');
  t.same([...pool].sort(), [...txids].sort(), 'all are in the mempool');
});

const CHAIN_REFUSED =
  'Unconfirmed UTXOs are available, but spending them creates a chain of transactions that will be rejected by the mempool';

/** Pays from the one coin and its change until a payment is refused, and returns the payments and the refusal. */
async function payUntilRefused(node: Daemon): Promise<{ txids: string[]; refused: string }> {
  const txids: string[] = [];
  for (;;) {
    const answer = await node.call('sendtoaddress', OUTSIDE, 0.5).catch((error: Error) => error);
    if (typeof answer !== 'string') return { txids, refused: await refusal(Promise.reject(answer)) };
    txids.push(answer);
  }
}

t.test('stops chaining own change before the mempool would refuse a payment', async (t) => {
  await rich(node, 'chain');
  const { txids, refused } = await payUntilRefused(node);
  t.equal(refused, `-6 ${CHAIN_REFUSED}`);
  t.same([...(await node.call('getrawmempool'))].sort(), [...txids].sort(), 'every payment with an id is in the mempool');
  const { trusted, nonmempool } = (await node.call('getbalances')).mine;
  t.ok(trusted > 30, 'the change still counts');
  t.equal(nonmempool, 0);
  const outputs = [{ [OUTSIDE]: 0.5 }];
  const raw = await node.call('createrawtransaction', [], outputs);
  const refusals = await Promise.all(
    [
      node.call('sendmany', '', { [OUTSIDE]: 0.5 }),
      node.call('send', outputs),
      node.call('fundrawtransaction', raw),
      node.call('walletcreatefundedpsbt', [], outputs),
    ].map(refusal),
  );
  t.same(new Set(refusals.map((text) => text.replace(/^-\d+ /, ''))), new Set([CHAIN_REFUSED]));
  await node.call('generatetoaddress', 1, OUTSIDE);
  t.type(await node.call('sendtoaddress', OUTSIDE, 0.5), 'string', 'after the next block payments go on');
});

t.test('refuses a payment past -limitclustercount before recording it, also in sendall', async (t) => {
  const node = limited;
  await rich(node, 'clusters');
  const { txids, refused } = await payUntilRefused(node);
  t.equal(txids.length, 3);
  t.equal(refused, '-6 too many unconfirmed transactions in cluster');
  t.equal(await refusal(node.call('sendall', [OUTSIDE])), '-4 too many unconfirmed transactions in cluster');
  t.equal((await node.call('listtransactions', '*', 200)).filter(({ category }: { category: string }) => category === 'send').length, 3);
});

t.test('records a payment that the mempool refuses with -compat=0.21.1, like that release', async (t) => {
  const node = await nodeWith(t, '-compat=0.21.1', '-limitancestorcount=3');
  await rich(node, 'refused');
  const txids = [];
  for (let i = 0; i < 4; i++) txids.push(await node.call('sendtoaddress', OUTSIDE, 0.5));
  t.same([...(await node.call('getrawmempool'))].sort(), txids.slice(0, 3).sort());
});

t.test('selects coins: locked, unconfirmed, of reused addresses, grouped by address', async (t) => {
  const node = await nodeWith(t, '-limitancestorcount=3');
  await rich(node, 'selecting');
  const coins = await node.call('listunspent');
  await node.call('lockunspent', false, coins);
  t.equal(await refusal(node.call('sendtoaddress', OUTSIDE, 1)), '-6 Insufficient funds');
  await node.call('lockunspent', true, [coins[0]]);
  // There is only one coin, and each payment spends the change of the one before. The third payment in a row is the
  // last that the limit allows.
  for (let i = 0; i < 3; i++) await node.call('sendtoaddress', OUTSIDE, 1);
  t.match(
    await refusal(node.call('sendtoaddress', OUTSIDE, 1)),
    /^-6 (Unconfirmed UTXOs are available, but|too many unconfirmed transactions in cluster)/,
  );
  await node.call('lockunspent', true);
  await node.call('sendtoaddress', OUTSIDE, 1);

  await node.call('createwallet', 'careful', false, false, '', true);
  const careful = (method: string, ...params: unknown[]) => node.callWallet('careful', method, ...params);
  const used = await careful('getnewaddress');
  const w = (method: string, ...params: unknown[]) => node.callWallet('selecting', method, ...params);
  await node.call('generatetoaddress', 1, OUTSIDE);
  await w('sendtoaddress', used, 5);
  await node.call('generatetoaddress', 1, OUTSIDE);
  await careful('sendtoaddress', OUTSIDE, 1);
  await w('sendtoaddress', used, 7);
  await node.call('generatetoaddress', 1, OUTSIDE);
  t.match(await refusal(careful('sendtoaddress', OUTSIDE, 6)), '-6 Insufficient funds');
  await careful('sendtoaddress', OUTSIDE, 6, '', '', false, false, null, null, false);

  // Three coins pay the same address. With the option a payment spends all three; without it, one is enough.
  await node.call('createwallet', 'reused');
  const reused = (method: string, ...params: unknown[]) => node.callWallet('reused', method, ...params);
  const once = await reused('getnewaddress');
  for (let i = 0; i < 3; i++) {
    await w('sendtoaddress', once, 1);
    await node.call('generatetoaddress', 1, OUTSIDE);
  }
  const spend = await reused('sendtoaddress', OUTSIDE, 0.5, '', '', false, false, null, null, null, 1);
  t.equal((await reused('gettransaction', spend, true, true)).decoded.vin.length, 1, 'more coins would cost more');
});

t.test('spends all coins of an address together with -avoidpartialspends', async (t) => {
  const node = limited;
  await rich(node, 'grouped');
  const txid = await node.call('sendtoaddress', OUTSIDE, 1);
  t.equal((await node.call('gettransaction', txid, true, true)).decoded.vin.length, 4);
});

t.test('funds transactions: fundrawtransaction, walletcreatefundedpsbt, send', async (t) => {
  // The payments of other tests may lead to fee estimates, which would replace the fallback rate.
  const node = await nodeWith(t);
  const address = await rich(node, 'funding');
  const raw = await node.call('createrawtransaction', [], { [OUTSIDE]: 1.5 });
  const fund = (options?: unknown, hex = raw) => node.call('fundrawtransaction', hex, ...(options === undefined ? [] : [options]));
  const funded = await fund();
  const tx = await node.call('decoderawtransaction', funded.hex);
  t.equal(tx.vin.length, 1);
  t.equal(sats(funded.fee), 20 * 141);
  const byDefault = await node.call('fundrawtransaction', raw, { subtractFeeFromOutputs: null }, null);
  t.equal(sats(byDefault.fee), 20 * 141, 'null means the default');
  t.equal(sats(tx.vout[0].value + tx.vout[1].value), 50e8 - sats(funded.fee));
  t.equal(sats(tx.vout[1 - funded.changepos].value), 1.5e8);
  const signed = await node.call('signrawtransactionwithwallet', funded.hex);
  t.equal((await node.call('testmempoolaccept', [signed.hex]))[0].allowed, true);

  const placed = await fund({ changePosition: 1, changeAddress: address, feeRate: 0.0001, lockUnspents: true });
  t.equal(placed.changepos, 1);
  const placedTx = await node.call('decoderawtransaction', placed.hex);
  t.equal(placedTx.vout[1].scriptPubKey.addresses[0], address);
  t.equal(sats(placed.fee), 10 * 141);
  t.same(await node.call('listlockunspent'), [{ txid: placedTx.vin[0].txid, vout: placedTx.vin[0].vout }]);
  await node.call('lockunspent', true);
  const taken = await fund({ subtractFeeFromOutputs: [0], fee_rate: 2, replaceable: true });
  const takenTx = await node.call('decoderawtransaction', taken.hex);
  t.equal(sats(takenTx.vout[1 - taken.changepos].value), 1.5e8 - 2 * 141);
  t.equal(takenTx.vin[0].sequence, 0xfffffffd);
  // Existing parts stay: inputs with their sequence, version and lock time.
  const [coin, other] = await node.call('listunspent');
  const begun = await node.call('createrawtransaction', [{ txid: coin.txid, vout: coin.vout, sequence: 7 }], { [OUTSIDE]: 60 }, 55);
  const more = await node.call('decoderawtransaction', (await fund({}, begun)).hex);
  t.match(more, { locktime: 55, vin: [{ txid: coin.txid, sequence: 7 }, {}] });
  t.match(await refusal(fund({ add_inputs: false }, begun)), /^-4 The preselected coins total amount does not cover/);
  const foreign = await node.call('createrawtransaction', [{ txid: 'aa'.repeat(32), vout: 0 }], { [OUTSIDE]: 1 });
  t.equal(await refusal(fund({}, foreign)), '-4 Unable to find UTXO for external input');

  for (const [options, why] of [
    [{ changeAddress: 'x' }, '-5 Change address must be a valid bitcoin address'],
    [{ changePosition: 2 }, '-8 changePosition out of bounds'],
    [{ changeAddress: address, change_type: 'legacy' }, '-8 Cannot specify both change address and address type options'],
    [{ change_type: 'new' }, "-5 Unknown change type 'new'"],
    [{ subtractFeeFromOutputs: [0, 0] }, "-8 Invalid parameter 'subtract fee from output', duplicated position: 0"],
    [{ subtractFeeFromOutputs: [-1] }, "-8 Invalid parameter 'subtract fee from output', negative position: -1"],
    [{ subtractFeeFromOutputs: [1] }, "-8 Invalid parameter 'subtract fee from output', position too large: 1"],
    [{ subtractFeeFromOutputs: 1 }, '-1 JSON value is not an object or array as expected'],
    [{ subtractFeeFromOutputs: {} }, '-3 JSON value of type object for field subtractFeeFromOutputs is not of expected type array'],
    [{ subtract_fee_from_outputs: 1 }, '-3 JSON value of type number for field subtract_fee_from_outputs is not of expected type array'],
    [{ input_weights: [1] }, '-3 JSON value of type null is not of expected type string'],
    [{ input_weights: null }, '-3 JSON value of type null is not of expected type array'],
    [
      { input_weights: [{ txid: coin.txid, vout: 0, weight: 3e9 }], max_tx_weight: 1.5 },
      '-8 Invalid parameter, weight cannot be greater than the maximum standard tx weight of 400000',
    ],
    [{ fee_rate: 1, feeRate: 1 }, '-8 Cannot specify both fee_rate (sat/vB) and feeRate (BTC/kvB)'],
    [{ feeRate: 1, estimate_mode: 'economical' }, '-8 Cannot specify both estimate_mode and feeRate'],
    [{ surprise: 1 }, '-3 Unexpected key surprise'],
    [{ lockUnspents: 1 }, '-3 JSON value of type number for field lockUnspents is not of expected type bool'],
  ] as const) {
    t.equal(await refusal(fund(options)), why);
  }
  for (const [options, why] of [
    [{ psbt: 1 }, '-3 JSON value of type number for field psbt is not of expected type bool'],
    [{ max_tx_weight: true }, '-3 JSON value of type bool is not of expected type number'],
    [{ subtract_fee_from_outputs: 1 }, '-1 JSON value is not an object or array as expected'],
  ] as const)
    t.equal(await refusal(node.call('send', { [OUTSIDE]: 1 }, null, null, null, options)), why);
  const immature = node.call('listunspent', 1, 9, [], true, { include_immature_coinbase: null });
  t.equal(await refusal(immature), '-3 JSON value of type null is not of expected type bool');
  t.equal(await refusal(node.call('estimatesmartfee', 6, 'unset', { verbosity: 1.5 })), '-1 JSON integer out of range');
  t.equal(await refusal(node.call('getblockfrompeer', 'aa'.repeat(32), 3e9)), '-1 Block header missing');
  t.equal(await refusal(node.call('walletcreatefundedpsbt', [], null, -1)), '-8 Invalid parameter, locktime out of range');
  t.equal(await refusal(node.call('walletcreatefundedpsbt', [], null)), '-8 Invalid parameter, output argument must be non-null');
  const bump = node.call('psbtbumpfee', coin.txid, { psbt_version: null });
  t.equal(await refusal(bump), '-3 JSON value of type null is not of expected type number');
  t.equal(await refusal(node.call('fundrawtransaction', 'zz')), '-22 TX decode failed');
  t.equal(await refusal(fund({}, await node.call('createrawtransaction', [], {}))), '-8 TX must have at least one output');

  const made = await node.call('walletcreatefundedpsbt', [{ txid: other.txid, vout: other.vout }], [{ [OUTSIDE]: 2 }], 0, { fee_rate: 4 });
  const decoded = await node.call('decodepsbt', made.psbt);
  t.equal(decoded.tx.vin[0].txid, other.txid);
  t.equal(sats(made.fee), 4 * 141);
  t.ok(decoded.inputs[0].bip32_derivs, 'with the origin of its key');
  const processed = await node.call('walletprocesspsbt', made.psbt);
  t.equal(processed.complete, true);
  t.equal(await refusal(node.call('walletcreatefundedpsbt', [], { [OUTSIDE]: 10_000 })), '-4 Insufficient funds');

  const sent = await node.call('send', { [OUTSIDE]: 1 }, null, null, 5);
  t.same(Object.keys(sent), ['txid', 'complete']);
  t.equal(sats((await node.call('getmempoolentry', sent.txid)).fees.base), 5 * 141);
  const kept = await node.call('send', [{ [OUTSIDE]: 1 }, { data: '00ff' }], null, null, 5, { add_to_wallet: false });
  t.same(Object.keys(kept), ['psbt', 'txid', 'hex', 'complete']);
  t.equal(await refusal(node.call('gettransaction', kept.txid)), '-5 Invalid or non-wallet transaction id');
  t.same(Object.keys(await node.call('send', { [OUTSIDE]: 1 }, null, null, 5, { psbt: true })), ['psbt', 'txid', 'hex', 'complete']);
  t.equal(await refusal(node.call('send', { [OUTSIDE]: 1 }, 6)), '-8 Specify estimate_mode');
  t.equal(
    await refusal(node.call('send', { [OUTSIDE]: 1 }, null, null, null, { changeAddress: address })),
    '-8 Use change_address instead of changeAddress',
  );
  t.equal(
    await refusal(node.call('send', { [OUTSIDE]: 1 }, 6, 'economical', null, { conf_target: 6 })),
    '-8 Pass conf_target and estimate_mode either as arguments or in the options object, but not both',
  );
});

t.test('bumpfee replaces a payment by one with a higher fee', async (t) => {
  await rich(node, 'bumping');
  const first = await node.call('sendtoaddress', OUTSIDE, 2, 'rent', 'owner', false, true, null, null, null, 2);
  const bumped = await node.call('bumpfee', first, { fee_rate: 20 });
  t.same(Object.keys(bumped), ['txid', 'origfee', 'fee', 'errors']);
  t.equal(sats(bumped.origfee), 2 * 141);
  t.equal(sats(bumped.fee), 20 * 141);
  t.same(await node.call('getrawmempool'), [bumped.txid]);
  t.match(await node.call('gettransaction', first), { replaced_by_txid: bumped.txid, trusted: false, comment: 'rent' });
  const record = await node.call('gettransaction', bumped.txid, true, true);
  t.match(record, { replaces_txid: first, comment: 'rent', to: 'owner', amount: -2 });
  t.equal(sats(-record.fee), sats(bumped.fee));
  t.equal(
    await refusal(node.call('bumpfee', first)),
    `-4 Cannot bump transaction ${first} which was already bumped by transaction ${bumped.txid}`,
  );
  t.match(
    await refusal(node.call('bumpfee', bumped.txid, { fee_rate: 20.05 })),
    /^-8 Insufficient total fee 0\.00002828, must be at least 0\.00002835/,
  );
  t.match(await refusal(node.call('bumpfee', bumped.txid, { fee_rate: 100_000 })), /^-4 Specified or calculated fee .* is too high/);
  t.match(await refusal(node.call('bumpfee', bumped.txid, { confTarget: 1, conf_target: 1 })), /^-8 confTarget and conf_target options/);
  const offered = await node.call('psbtbumpfee', bumped.txid, { fee_rate: 50 });
  t.same(Object.keys(offered), ['psbt', 'origfee', 'fee', 'errors']);
  t.equal(sats(offered.fee), 50 * 141);
  const final = await node.call('bumpfee', bumped.txid, { fee_rate: 60, replaceable: false });
  t.equal(sats((await node.call('getmempoolentry', final.txid)).fees.base), 60 * 141);
  t.equal(sats((await node.call('bumpfee', final.txid)).origfee), 60 * 141, 'though it did not say that it may be replaced');
  t.equal(await refusal(node.call('bumpfee', 'ff'.repeat(32))), '-5 Invalid or non-wallet transaction id');

  // The payment uses all of a coin, so a higher fee needs another coin.
  const [coin] = (await node.call('listunspent', 1)).filter(({ amount }: { amount: number }) => amount === 50);
  const inputs = [{ txid: coin.txid, vout: coin.vout }];
  const all = await node.call('send', { [OUTSIDE]: 49.9999 }, null, null, 1, { inputs, add_inputs: false, replaceable: true });
  const dear = await node.call('bumpfee', all.txid, { fee_rate: 300 });
  t.equal((await node.call('gettransaction', dear.txid, true, true)).decoded.vin.length, 2, 'another coin helps out');
  await node.call('generatetoaddress', 1, OUTSIDE);
  t.match(await refusal(node.call('bumpfee', dear.txid)), /^-1 .* is already spent$/);
  const parent = await node.call('sendtoaddress', OUTSIDE, 1, '', '', false, true);
  const change = (await node.call('listunspent', 0)).find(({ txid }: { txid: string }) => txid === parent);
  await node.call('send', { [OUTSIDE]: 0.1 }, null, null, 1, { inputs: [{ txid: parent, vout: change.vout }], add_inputs: false });
  t.equal(await refusal(node.call('bumpfee', parent)), '-8 Transaction has descendants in the wallet');
});

t.test('bumpfee returns a PSBT for a watch-only wallet, as before psbtbumpfee existed', async (t) => {
  const node = limited;
  const address = await rich(node, 'deprecated');
  const change = await node.call('getnewaddress');
  await node.call('createwallet', 'watcher', true);
  const [paid, kept] = await Promise.all([address, change].map((one) => node.callWallet('deprecated', 'getaddressinfo', one)));
  await node.callWallet('watcher', 'importpubkey', paid.pubkey);
  const inner = { scriptPubKey: { address: change }, pubkeys: [kept.pubkey], timestamp: 'now', internal: true, watchonly: true };
  await node.callWallet('watcher', 'importmulti', [inner]);
  const options = { change_address: change, replaceable: true };
  const { txid } = await node.callWallet('deprecated', 'send', { [OUTSIDE]: 1 }, null, null, 2, options);
  const bump = await node.callWallet('watcher', 'bumpfee', txid);
  t.same(Object.keys(bump), ['psbt', 'origfee', 'fee', 'errors']);
  t.same(bump, { ...(await node.callWallet('watcher', 'psbtbumpfee', txid)), psbt: bump.psbt });
  const signed = await node.callWallet('deprecated', 'walletprocesspsbt', bump.psbt);
  const { hex } = await node.call('finalizepsbt', signed.psbt);
  const replacement = await node.call('sendrawtransaction', hex);
  t.same(await node.call('getrawmempool'), [replacement]);
  t.equal(sats((await node.call('getmempoolentry', replacement)).fees.base), sats(bump.fee));
});

t.test('broadcasts unconfirmed payments again after a restart and a day later', async (t) => {
  const node = await nodeWith(t, '-persistmempool=0');
  await rich(node, 'restarting');
  const first = await node.call('sendtoaddress', OUTSIDE, 1);
  const second = await node.call('sendtoaddress', OUTSIDE, 2);
  await node.kill();
  await node.up('-walletbroadcast=0');
  t.same(await node.call('getrawmempool'), [], 'nothing goes out');
  const silent = await node.call('sendtoaddress', OUTSIDE, 3);
  t.same(await node.call('getrawmempool'), []);
  t.equal((await node.call('gettransaction', silent)).trusted, false);
  await node.kill();
  await node.up();
  t.same((await node.call('getrawmempool')).sort(), [first, second, silent].sort(), 'all are back');
  t.equal((await node.call('getmempoolentry', first)).unbroadcast, false, 'without telling the peers');

  const now = Math.floor(Date.now() / 1000);
  await node.call('setmocktime', now + 600);
  await node.call('mockscheduler', 1);
  await node.call('generateblock', OUTSIDE, []);
  await node.call('setmocktime', now + 12 * 3600 - 120);
  await node.call('mockscheduler', 1);
  t.equal((await node.call('getmempoolentry', first)).unbroadcast, false, 'not before twelve hours');
  await node.call('setmocktime', now + 37 * 3600);
  await node.call('mockscheduler', 1);
  const log = () => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  await until('the payments are sent again', () =>
    log().includes('[restarting] ResendWalletTransactions: resubmit 3 unconfirmed transactions'),
  );
  t.equal((await node.call('getmempoolentry', first)).unbroadcast, true);
});

t.test('refuses payments of wallets that cannot pay', async (t) => {
  const address = await rich(node, 'watched');
  await node.call('createwallet', 'watcher', true);
  const watcher = (method: string, ...params: unknown[]) => node.callWallet('watcher', method, ...params);
  const { pubkey } = await node.callWallet('watched', 'getaddressinfo', address);
  await watcher('importpubkey', pubkey);
  t.equal(await refusal(watcher('sendtoaddress', OUTSIDE, 1)), '-4 Error: Private keys are disabled for this wallet');
  t.match(await refusal(watcher('bumpfee', 'ff'.repeat(32))), /^-4 bumpfee is not available with wallets that have private keys disabled/);
  const raw = await node.call('createrawtransaction', [], { [OUTSIDE]: 1 });
  t.equal(
    await refusal(watcher('fundrawtransaction', raw)),
    "-4 Transaction needs a change address, but we can't generate it. Please call keypoolrefill first.",
  );
  const funded = await watcher('fundrawtransaction', raw, { changeAddress: address });
  t.equal((await node.callWallet('watched', 'signrawtransactionwithwallet', funded.hex)).complete, true, 'watched coins, signed elsewhere');
  const psbt = await watcher('send', { [OUTSIDE]: 1 }, null, null, 1, { change_address: address });
  t.same(Object.keys(psbt), ['psbt', 'complete']);
  t.equal(psbt.complete, false);

  await node.callWallet('watched', 'encryptwallet', 'secret');
  const w = (method: string, ...params: unknown[]) => node.callWallet('watched', method, ...params);
  t.match(await refusal(w('sendtoaddress', OUTSIDE, 1)), /^-13 Error: Please enter the wallet passphrase/);
  t.match(await refusal(w('sendmany', '', { [OUTSIDE]: 1 })), /^-13 /);
  await w('walletpassphrase', 'secret', 60);
  t.match(await w('sendtoaddress', OUTSIDE, 1), /^[0-9a-f]{64}$/);

  const poor = await Daemon.over(prepared.dir);
  t.teardown(() => poor.remove());
  await poor.up();
  await rich(poor, 'feeless');
  t.equal(
    await refusal(poor.call('sendtoaddress', OUTSIDE, 1)),
    '-6 Fee estimation failed. Fallbackfee is disabled. Wait a few blocks or enable -fallbackfee.',
  );
});

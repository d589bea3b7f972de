// Tests sendall, simulaterawtransaction and exportwatchonlywallet on wallets in memory. The expected amounts are
// computed from sizes by hand: a P2WPKH input weighs 271, its output 124, a P2SH output 128, the rest 42.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import type { Run } from '../../../src/rpc/dispatch.js';
import { exportwatchonlywallet } from '../../../src/rpc/methods/wallet/exportwatchonlywallet.js';
import { sendall } from '../../../src/rpc/methods/wallet/sendall.js';
import { simulaterawtransaction } from '../../../src/rpc/methods/wallet/simulaterawtransaction.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import type { Amount, JsonValue } from '../../../src/rpc/wire/values.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { readBackup } from '../../../src/wallet/manage/backup.js';
import { loadWallet } from '../../../src/wallet/manage/load-wallet.js';
import { clientOf } from '../../framework/chain-client.js';
import { createMemoryWallet, crypto, type MemoryWallet, TIP } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { allRows, contextOf } from '../../framework/wallet-calls.js';

const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const OTHER = '2NBFNJTktNa7GZusGbDbGKRZTxdK9VVez3n';
type Sent = { txid: string; hex: string; complete: boolean };

/** Runs a method with an empty mempool and a chain that has every coin of the wallet. */
function caller({ wallet, tools }: MemoryWallet) {
  const { coins } = wallet.ledger;
  const outputs = async (outpoints: readonly Uint8Array[]) =>
    outpoints.map((outpoint) => {
      const coin = coins.find(outpoint);
      return coin < 0 ? null : { value: coins.value(coin), script: coins.script(coin) };
    });
  const ctx = {
    ...contextOf(wallet),
    spend: tools,
    signer: tools.signer,
    client: clientOf({ tip: wallet.tip! }, {}, { outputs }),
  };
  const json = (value: unknown): JsonValue => parseJson(Buffer.from(JSON.stringify(value)));
  return async (method: Run<WalletContext, never>, ...params: unknown[]): Promise<unknown> =>
    runMethod(method, ctx as WalletContext, params.map(json));
}

async function funded(values: readonly number[]) {
  const made = await createMemoryWallet();
  const outputs = [];
  for (const value of values) outputs.push({ script: await made.address('bech32'), value });
  await made.receive(outputs, TIP - 10);
  return { ...made, call: caller(made) };
}
const valuesOf = ({ hex }: Sent): number[] => {
  const tx = parseTx(new Uint8Array(Buffer.from(hex, 'hex')), crypto);
  return Array.from({ length: tx.outputCount }, (_, i) => tx.outputValue(i));
};
const keep = { add_to_wallet: false };

t.test('sendall spends all coins and gives the rest to the address without an amount', async (t) => {
  const { call, wallet } = await funded([100_000, 50_000]);
  const all = (await call(sendall, [ELSEWHERE], null, 'unset', 2, keep)) as Sent;
  t.equal(all.complete, true);
  // 542 + 124 + 42 weight units are 177 virtual bytes; the rate is 2 satoshis for each.
  t.same(valuesOf(all), [150_000 - 354]);
  const shared = (await call(sendall, [ELSEWHERE, { [OTHER]: 0.0001 }], null, 'unset', 2, keep)) as Sent;
  t.same(valuesOf(shared), [150_000 - 418 - 10_000, 10_000]);
  t.equal(wallet.ledger.locked.size, 0);
  await call(sendall, [ELSEWHERE], null, 'unset', 2, { ...keep, lock_unspents: true });
  t.equal(wallet.ledger.locked.size, 2);
});

t.test('sendall spends coins worth less than their fee, but not with send_max', async (t) => {
  const { call } = await funded([100_000, 300]);
  const all = (await call(sendall, [ELSEWHERE], null, 'unset', 10, keep)) as Sent;
  t.same(valuesOf(all), [100_300 - 1770], 'are spent');
  const most = (await call(sendall, [ELSEWHERE], null, 'unset', 10, { ...keep, send_max: true })) as Sent;
  t.same(valuesOf(most), [100_000 - 1100], 'unless they are to stay');
});

t.test('sendall rejects invalid recipients, inputs and limits', async (t) => {
  const { call, wallet } = await funded([10_000]);
  const coin = [...wallet.ledger.coins.rows()][0];
  const txid = Buffer.from(wallet.ledger.txs.txid(wallet.ledger.coins.txRow(coin)))
    .reverse()
    .toString('hex');
  const inputs = [{ txid, vout: 0 }];
  const refused = (message: RegExp, ...params: unknown[]) => t.rejects(call(sendall, ...params), { message });
  await refused(/at least one address without/, [{ [ELSEWHERE]: 1 }]);
  await refused(/Assigned more value/, [ELSEWHERE, { [OTHER]: 1 }], null, 'unset', 1);
  await refused(/Insufficient funds for fees/, [ELSEWHERE, { [OTHER]: 0.00009999 }], null, 'unset', 1);
  await refused(/Dynamically assigned remainder/, [ELSEWHERE, { [OTHER]: 0.000097 }], null, 'unset', 1);
  await refused(/below dust threshold/, [{ [OTHER]: 0.000001 }, ELSEWHERE], null, 'unset', 1);
  await refused(/try using lower feerate/, [ELSEWHERE], null, 'unset', 500, { send_max: true });
  await refused(/Cannot combine send_max/, [ELSEWHERE], null, 'unset', 1, { inputs, send_max: true });
  await refused(/Cannot combine minconf/, [ELSEWHERE], null, 'unset', 1, { inputs, minconf: 1 });
  await refused(/is not part of wallet/, [ELSEWHERE], null, 'unset', 1, { inputs: [{ txid: '22'.repeat(32), vout: 0 }] });
  await refused(/minconf cannot be negative/, [ELSEWHERE], null, 'unset', 1, { minconf: -1 });
  await refused(/maxconf can't be lower/, [ELSEWHERE], null, 'unset', 1, { minconf: 3, maxconf: 2 });
  await refused(/too low to pay/, [ELSEWHERE], null, 'unset', 1, { maxconf: 3 });
  t.same(valuesOf((await call(sendall, [ELSEWHERE], null, 'unset', 1, { ...keep, inputs })) as Sent), [9_890]);
});

t.test('simulaterawtransaction sums balance changes and rejects double spends', async (t) => {
  const { call } = await funded([100_000]);
  const { hex } = (await call(sendall, [ELSEWHERE], null, 'unset', 1, keep)) as Sent;
  const change = async (...params: unknown[]): Promise<number> =>
    ((await call(simulaterawtransaction, ...params)) as { balance_change: Amount }).balance_change.sats as number;
  t.equal(await change([]), 0);
  t.equal(await change([hex]), -100_000);
  await t.rejects(change([hex, hex]), { message: 'Transaction(s) are spending the same output more than once' });
  await t.rejects(change(['00']), { code: -22 });
});

t.test('sendall rejects an input that is named twice', async (t) => {
  const { call, wallet } = await funded([100_000]);
  const { txs } = wallet.ledger;
  const input = { txid: Buffer.from(txs.txid(0)).reverse().toString('hex'), vout: 0 };
  await t.rejects(call(sendall, [ELSEWHERE], null, 'unset', 2, { inputs: [input, input] }), { code: -8, message: /named twice/ });
  t.equal(txs.size, 1, 'nothing was recorded');
});

t.test('exportwatchonlywallet writes a watch-only copy and overwrites nothing', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-watch-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  const made = await createMemoryWallet({ descriptors: true, wallet: { dir } });
  const call = caller(made);
  await made.receive([{ script: await made.address('bech32'), value: 5_000 }], TIP - 10);
  await allRows(made.wallet);
  const file = path.join(dir, 'watch');
  const written = call(exportwatchonlywallet, file);
  const seen = new Set<number>();
  const looked = (async () => {
    for (let turn = 0; turn < 200; turn++) {
      const info = fs.statSync(file, { throwIfNoEntry: false });
      if (info) seen.add(info.size);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  t.same(await written, { exported_file: file });
  await looked;
  seen.add(fs.statSync(file).size);
  t.equal(seen.size, 1, 'the file has its name only once it is complete');
  t.equal(fs.statSync(file).mode & 0o777, 0o600);
  for (const name of ['wallet.db', 'wallet.db.new', 'wallet.db.old']) {
    const inside = path.join(dir, name);
    await t.rejects(call(exportwatchonlywallet, inside), { message: `Error: Could not create file '${inside}'` }, 'a place of a wallet');
    t.notOk(fs.existsSync(inside));
  }
  await t.rejects(call(exportwatchonlywallet, file), { code: -4, message: `Error: Export destination '${file}' already exists` });
  await t.rejects(call(exportwatchonlywallet, path.join(dir, 'no', 'x')), { message: /Could not create file/ });
  await t.rejects(call(exportwatchonlywallet, ''), { message: 'Error: Export destination cannot be empty' });
  const store = new MemoryStore();
  t.equal(await readBackup(file, store), null);
  const { wallet } = await loadWallet(made.surroundings, { name: 'w', folder: '' }, store);
  t.equal(wallet.record.privateKeysDisabled, true);
  t.equal(wallet.descriptors!.count, 6);
  t.notOk([...wallet.descriptors!.all()].some(({ hasSecrets }) => hasSecrets));
  t.equal(wallet.ledger.txs.size, 1);
  t.same(wallet.keys.scriptCount, made.wallet.keys.scriptCount);
});

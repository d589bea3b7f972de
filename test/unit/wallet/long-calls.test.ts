// Calls whose work grows with a range, a pool or an address book: other work gets its turns, and the outcome is that of many short calls.
import t from 'tap';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { chainParams } from '../../../src/consensus/params/chain-params.js';
import type { CallInfo, Run } from '../../../src/rpc/dispatch.js';
import type { NodeContext } from '../../../src/rpc/node/context.js';
import { importmulti } from '../../../src/rpc/wallet/importmulti.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import type { JsonValue } from '../../../src/rpc/wire/values.js';
import { WALLET_PREFIX } from '../../../src/wallet/storage/layout.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';

const XPUB = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';
const call: CallInfo = { user: '', path: '/' };
const json = (value: unknown): JsonValue => parseJson(Buffer.from(JSON.stringify(value)));

const contextOf = (wallet: Wallet): NodeContext =>
  ({
    wallets: { select: () => wallet },
    descriptors: descriptorContext('master', 'regtest'),
    params: chainParams('regtest'),
    crypto,
    clock: { monotonicMs: () => 0 },
  }) as unknown as NodeContext;

const run = async (wallet: Wallet, method: Run<NodeContext>, ...params: unknown[]): Promise<unknown> =>
  method(contextOf(wallet), params.map(json), call);

/** What a wallet holds of keys, scripts and labels, row by row, but for those that it was made with. */
async function rowsOf(wallet: Wallet, before: readonly string[] = []): Promise<string[]> {
  await wallet.exclusive(async () => {});
  const rows: string[] = [];
  for (const prefix of [WALLET_PREFIX.key, WALLET_PREFIX.script, WALLET_PREFIX.watched, WALLET_PREFIX.address]) {
    for await (const [key, value] of wallet.store.iterate({ gte: Uint8Array.of(prefix), lt: Uint8Array.of(prefix + 1) })) {
      rows.push(`${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`);
    }
  }
  return rows.filter((row) => !before.includes(row));
}

/** Runs a call and counts the turns that the loop takes meanwhile. @param then done in one of them */
async function turnsDuring(work: () => Promise<unknown>, then?: () => unknown): Promise<number> {
  let turns = 0;
  let done = false;
  const count = (): void => {
    if (done) return;
    turns++;
    if (turns === 3) then?.();
    setImmediate(count);
  };
  setImmediate(count);
  try {
    await work();
  } finally {
    done = true;
  }
  return turns;
}

const ranged = (range: [number, number], label = 'a range') => ({
  desc: addChecksum(`wpkh(${XPUB}/*)`),
  range,
  timestamp: 'now',
  watchonly: true,
  label,
});
const outcome = [{ success: true }];

t.test('importmulti of a long range', async (t) => {
  const { wallet } = await createMemoryWallet();
  const { wallet: other } = await createMemoryWallet();
  const before = [await rowsOf(wallet), await rowsOf(other)];
  const last = 2999;
  const turns = await turnsDuring(async () => t.same(await run(wallet, importmulti, [ranged([0, last])], { rescan: false }), outcome));
  t.ok(turns > 10, `${turns} turns`);
  for (let from = 0; from <= last; from += 100) await run(other, importmulti, [ranged([from, from + 99])], { rescan: false });
  const rows = await rowsOf(wallet, before[0]);
  t.ok(rows.length > 4 * last);
  t.strictSame(rows, await rowsOf(other, before[1]));
});

t.test('a wallet that is locked or closed while importmulti reads', async (t) => {
  const cases = {
    lock: (wallet: Wallet) => wallet.lock(),
    close: (wallet: Wallet) => wallet.close(),
  };
  for (const [name, act] of Object.entries(cases)) {
    const { wallet } = await createMemoryWallet();
    wallet.vault.unlock(new Uint8Array(32).fill(5));
    const before = await rowsOf(wallet);
    const script = crypto.hash160(new Uint8Array(20));
    let acted = false;
    const work = () =>
      run(wallet, importmulti, [ranged([0, 2999]), { scriptPubKey: `0014${Buffer.from(script).toString('hex')}`, timestamp: 'now' }], {
        rescan: false,
      });
    const failed = t.rejects(
      turnsDuring(work, () => {
        acted = true;
        return act(wallet);
      }),
      name === 'lock' ? { code: -13 } : { code: 'STORE_CLOSED' },
    );
    await failed;
    t.ok(acted, name);
    t.equal(wallet.legacy!.watches, false, 'nothing was imported');
    if (name === 'lock') t.same(await rowsOf(wallet), before);
  }
});

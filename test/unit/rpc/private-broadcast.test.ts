// Replies about transactions that are sent privately, and the effect of sendrawtransaction on them.
import t from 'tap';
import { hashToHex, toHex } from '../../../src/consensus/bytes/hex.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { COMPATS } from '../../../src/policy/compat.js';
import type { PrivateBroadcastAccess } from '../../../src/rpc/context/network.js';
import type { NodeContext } from '../../../src/rpc/context/node.js';
import type { CallInfo } from '../../../src/rpc/dispatch.js';
import { abortprivatebroadcast } from '../../../src/rpc/methods/rawtransactions/abortprivatebroadcast.js';
import { getprivatebroadcastinfo } from '../../../src/rpc/methods/rawtransactions/getprivatebroadcastinfo.js';
import { sendrawtransaction } from '../../../src/rpc/methods/rawtransactions/sendrawtransaction.js';
import { spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';
import { runMethod } from '../../framework/run-method.js';

const SCRIPT = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);

const outcome = async (run: () => unknown): Promise<unknown> => {
  try {
    return await run();
  } catch (error) {
    const { code, message } = error as { code?: number; message: string };
    return `${code} ${message}`;
  }
};

t.test('sendrawtransaction queues a private transaction that can be listed and aborted', async (t) => {
  const { chain, pool } = createPool({ policy: NO_POLICY });
  const added: TxView[] = [];
  let [reachable, full] = [true, false];
  const broadcast: PrivateBroadcastAccess = {
    get reachable() {
      return reachable;
    },
    add: (tx) => {
      if (!full) added.push(tx);
      return !full;
    },
    abort: (id) => added.filter(({ txid }) => Buffer.compare(txid, id) === 0),
    list: () => [
      {
        tx: added[0] as TxView,
        addedAt: 5,
        attemptsLeft: 998,
        sends: [
          { address: 'a.onion:1', sentAt: 6, confirmedAt: 7 },
          { address: 'b.onion:1', sentAt: 8, confirmedAt: null },
        ],
      },
    ],
  };
  let privately: PrivateBroadcastAccess | null = null;
  const ctx = {
    compat: COMPATS.default,
    mempool: pool,
    crypto,
    coins: { coin: async () => null },
    network: { privately: () => privately },
  } as unknown as NodeContext;
  const call = {} as CallInfo;
  const tx = spend(crypto, [chain.fund(90_000)], [{ value: 80_000, script: SCRIPT }]);
  const send = (one: TxView): Promise<unknown> => outcome(() => runMethod(sendrawtransaction, ctx, [toHex(one.bytes)], call));
  const off = /^-32601 Private broadcast is not enabled/;
  t.match(await outcome(() => runMethod(getprivatebroadcastinfo, ctx, [], call)), off);
  t.match(await outcome(() => runMethod(abortprivatebroadcast, ctx, ['00'.repeat(32)], call)), off);

  privately = broadcast;
  t.equal(await send(tx), hashToHex(tx.txid));
  t.equal(added.length, 1);
  t.equal(pool.size, 0, 'not by way of the mempool');
  const members = { txid: hashToHex(tx.txid), wtxid: hashToHex(tx.wtxid), hex: toHex(tx.bytes) };
  t.same(await outcome(() => runMethod(getprivatebroadcastinfo, ctx, [], call)), {
    transactions: [
      {
        ...members,
        time_added: 5,
        attempts_remaining: 998,
        peers: [
          { address: 'a.onion:1', sent: 6, received: 7 },
          { address: 'b.onion:1', sent: 8 },
        ],
      },
    ],
  });
  t.same(await outcome(() => runMethod(abortprivatebroadcast, ctx, [hashToHex(tx.txid)], call)), { removed_transactions: [members] });
  t.match(
    await outcome(() => runMethod(abortprivatebroadcast, ctx, ['00'.repeat(32)], call)),
    /^-5 Transaction not in private broadcast queue/,
  );
  t.equal((await pool.accept(tx)).reject, null);
  t.equal(await send(tx), hashToHex(tx.txid), 'one of the mempool is sent as well');
  t.equal(added.length, 2);
  const bad = spend(crypto, [chain.fund(1_000)], [{ value: 2_000, script: SCRIPT }]);
  t.match(await send(bad), /^-26 bad-txns-in-belowout/);
  full = true;
  t.equal(await send(tx), '-37 Private broadcast queue is full');
  reachable = false;
  t.match(await send(tx), /^-1 -privatebroadcast is enabled, but none of the Tor or I2P networks is reachable/);
});

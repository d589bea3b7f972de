// Tests transactions that a peer sends in sequence: the mempool receives them together and checks each as if it had
// come alone.
import t from 'tap';
import { VerifierBusyError } from '../../../../src/parallel/verifier.js';
import { type BuiltBlock, buildBlock, buildChain, GENESIS, spend } from '../../../framework/chain-builder.js';
import { hash256, type Out, serializeTx, TRUE_SCRIPT, TRUE_WITNESS, type Tx, txid } from '../../../framework/messages.js';
import { NetWorld } from '../../../framework/net-world.js';

const VALUE = 100_000;
const COINS = 80;

const out = (value: number): Out => ({ value, script: TRUE_SCRIPT });

/** Makes a transaction that spends an output; the caller may pass an invalid witness. */
function pay(id: Buffer, index: number, value: number, witness: Buffer[] = TRUE_WITNESS): Tx {
  const tx = spend([{ txid: id, index, value: VALUE }], [out(value)]);
  Object.assign(tx.ins[0]!, { witness });
  return tx;
}

interface Received {
  readonly pool: string[];
  /** Transactions in it whose wtxid is not the hash of their bytes. */
  readonly misnamed: number;
  readonly verdicts: string[];
  /** Transactions announced to the mempool at once. */
  readonly foreseen: number[];
}

async function tell(payloads: (coinbase: Buffer) => Buffer[], together: boolean): Promise<Received> {
  const world = await NetWorld.open();
  const { chain, clock } = world.fixture;
  const time = clock.seconds - 102 * 600;
  const first: BuiltBlock = buildBlock(GENESIS, { time, outs: Array.from({ length: COINS }, () => out(VALUE)), fees: -COINS * VALUE });
  for (const { bytes } of [first, ...buildChain(first, 100)]) await chain.commands.submitBlock(bytes);
  const prefetched: number[] = [];
  const foresee = world.mempool.prefetchTransactions.bind(world.mempool);
  world.mempool.prefetchTransactions = (txs) => {
    prefetched.push(txs.length);
    return foresee(txs);
  };
  const guest = await world.guest();
  for (const payload of payloads(first.txids[0]!)) {
    guest.send('tx', payload);
    if (!together) await guest.sync();
  }
  await guest.sync();
  await world.mempool.settled();
  const pool = Array.from(world.mempool.entries(), (entry) => Buffer.from(entry.txid).toString('hex'));
  const misnamed = Array.from(world.mempool.entries()).filter(({ bytes, wtxid }) => !hash256(Buffer.from(bytes)).equals(wtxid)).length;
  const verdicts = world.lines.filter((line) => /accepted|orphan|Exception/.test(line));
  await world.end();
  return { pool, misnamed, verdicts, foreseen: prefetched };
}

t.test('accepts consecutive transactions with the same results as one by one', async (t) => {
  const payloads = (coinbase: Buffer): Buffer[] => {
    const at = (i: number, value = VALUE - 1_000, witness?: Buffer[]): Tx => pay(coinbase, 1 + i, value, witness);
    const parent = at(2);
    const child = pay(txid(parent), 0, VALUE - 2_000);
    return [
      serializeTx(at(0)),
      serializeTx(at(1, VALUE - 1_000, [Buffer.from([0x52])])),
      Buffer.from('0200000001', 'hex'),
      serializeTx(child),
      serializeTx(parent),
      serializeTx(at(0, VALUE - 1_001)),
      serializeTx(at(3, VALUE)),
      Buffer.concat([serializeTx(at(4)), Buffer.from('behind')]),
      serializeTx(pay(txid(at(3, VALUE)), 0, VALUE - 5_000)),
      serializeTx(at(0)),
      ...Array.from({ length: 70 }, (_, i) => serializeTx(at(5 + i, VALUE - 1_000, i === 33 ? [Buffer.from([0x00])] : TRUE_WITNESS))),
    ];
  };
  const [row, single] = [await tell(payloads, true), await tell(payloads, false)];
  t.equal(row.pool.length, 4 + 69, 'all that are valid');
  t.same(row.pool, single.pool, 'in the same order');
  t.same([row.misnamed, single.misnamed], [0, 0]);
  t.same(row.verdicts, single.verdicts, 'and the others for the same reasons');
  t.ok(row.verdicts.some((line) => /script-verify-flag/.test(line)) && row.verdicts.some((line) => /Exception/.test(line)));
  t.same(single.foreseen, []);
  t.ok(row.foreseen.length >= 2 && row.foreseen.every((count) => count <= 64), `announced ${row.foreseen}`);
});

t.test('serves other peers after a peer disconnected with prefetched transactions pending', async (t) => {
  const world = await NetWorld.open();
  const { chain, clock } = world.fixture;
  const first = buildBlock(GENESIS, { time: clock.seconds - 102 * 600, outs: [out(VALUE), out(VALUE)], fees: -2 * VALUE });
  for (const { bytes } of [first, ...buildChain(first, 100)]) await chain.commands.submitBlock(bytes);
  const [leaver, other] = [await world.guest(), await world.guest({}, '9.9.9.9')];
  for (const i of [1, 2]) leaver.send('tx', serializeTx(pay(first.txids[0]!, i, VALUE - 1_000)));
  leaver.close();
  other.send('tx', serializeTx(pay(first.txids[0]!, 2, VALUE - 3_000)));
  await other.sync();
  t.ok(world.mempool.size >= 1, 'others are served');
  await world.end();
});

t.test('tries a transaction again while the verifier is busy', async (t) => {
  const world = await NetWorld.open();
  t.teardown(() => world.end());
  const { chain, clock } = world.fixture;
  const first = buildBlock(GENESIS, { time: clock.seconds - 102 * 600, outs: [out(VALUE)], fees: -VALUE });
  for (const { bytes } of [first, ...buildChain(first, 100)]) await chain.commands.submitBlock(bytes);
  const [guest, other] = [await world.guest(), await world.guest({}, '9.9.9.9')];
  // The node cannot request it from another peer.
  let tries = 0;
  Object.assign(world.mempool, {
    accept: async () => {
      if (++tries === 3) Reflect.deleteProperty(world.mempool, 'accept');
      throw new VerifierBusyError('transaction');
    },
  });
  guest.send('tx', serializeTx(pay(first.txids[0]!, 1, VALUE - 1_000)));
  await other.sync();
  await guest.sync();
  t.equal(tries, 3);
  t.equal(world.mempool.size, 1);
});

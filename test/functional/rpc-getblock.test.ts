// Tests getblock while blocks come in. Fronts repeat its read jobs until blocks change.
import t from 'tap';
import { ANYONE, buildBlock, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { type Connection, closeAll, connect } from '../framework/connection.js';
import { Daemon } from '../framework/daemon.js';
import { serializeTx } from '../framework/messages.js';

const START = 1_700_000_000;
const ROUNDS = 4;
/** Transactions per block. Their removal from the mempool takes the node thread some milliseconds. */
const PER_BLOCK = 300;
const OUTPUT_SATS = 16_000_000;
const FEE_SATS = 10_000;
/** An output that makes a transaction large enough for the mempool. */
const PADDING = { value: 0, script: Buffer.concat([Buffer.from([0x6a, 30]), Buffer.alloc(30)]) };

t.test('getblock knows each tip that the same client has got from getbestblockhash', async (t) => {
  const node = await Daemon.startFor(t, '-templatemode=core', '-fronts=2', '-acceptnonstdtxn=1', `-mocktime=${START}`);
  const clients = await connect(node, 2);
  const [writer] = (await connect(node, 1)) as [Connection];
  t.teardown(() => closeAll([...clients, writer]));
  let tip = buildBlock(GENESIS, { time: START - 200 });
  const chain = [tip];
  while (chain.length < 110) chain.push((tip = buildBlock(tip, { time: tip.time + 1 })));
  const outs = Array.from({ length: PER_BLOCK }, () => ({ value: OUTPUT_SATS, script: ANYONE }));
  // One round more than blocks, so that transactions remain in the mempool.
  const splits = chain.slice(0, ROUNDS + 1).map((block) => spend([reward(block)], outs));
  const fan = buildBlock(tip, { time: tip.time + 1, txs: splits, fees: splits.length * (5_000_000_000 - PER_BLOCK * OUTPUT_SATS) });
  for (const { bytes } of [...chain, fan]) t.equal(await writer.call('submitblock', bytes.toString('hex')), null);
  tip = fan;
  const txs = splits.map((_, s) =>
    outs.map((_, index) =>
      spend(
        [{ ...reward(chain[s]!), txid: fan.txids[1 + s]!, index, value: OUTPUT_SATS }],
        [{ value: OUTPUT_SATS - FEE_SATS, script: ANYONE }, PADDING],
      ),
    ),
  );
  for (const tx of txs.flat()) await writer.call('sendrawtransaction', Buffer.from(serializeTx(tx)).toString('hex'));
  for (let round = 0; round < ROUNDS; round++) {
    const old = tip;
    // A front keeps the read job when the same call comes for the second time.
    for (const client of clients) {
      for (let i = 0; i < 3; i++) t.equal((await client.call('getblock', old.hashHex)).confirmations, 1);
    }
    tip = buildBlock(old, { time: old.time + 1, txs: txs[round]!, fees: PER_BLOCK * FEE_SATS });
    const shown = clients.map(async (client) => {
      while ((await client.call('getbestblockhash')) !== tip.hashHex);
      return client.call('getblock', old.hashHex);
    });
    t.equal(await writer.call('submitblock', tip.bytes.toString('hex')), null);
    for (const block of await Promise.all(shown)) t.match(block, { confirmations: 2, nextblockhash: tip.hashHex });
  }
});

// Tests the marks of a scan: block filters are used as long as scripts alone can find every transaction that matters.
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { ScriptMarks } from '../../../src/jobs/script-marks.js';
import { WalletMarks } from '../../../src/wallet/follow/wallet-marks.js';
import { payToKeyHash } from '../../../src/wallet/keys/is-mine.js';
import { keyHashProgram } from '../../../src/wallet/keys/key-table.js';
import { OWNERSHIP } from '../../../src/wallet/keys/ownership.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';

t.test('uses block filters only if scripts alone find every relevant transaction', async (t) => {
  const memory = await createMemoryWallet();
  const { wallet } = memory;
  const script = await memory.address('bech32');
  const coin = await memory.receive([{ script, value: 100_000 }], TIP - 10);
  t.equal((await WalletMarks.of(wallet, true)).targets.scripts !== null, true);
  const input = { prevHash: coin.txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
  const foreign = { script: Uint8Array.of(0x51), value: 90_000 };
  await memory.enter(parseTx(buildTx({ version: 2, inputs: [input], outputs: [foreign], locktime: 0 }), crypto));
  t.equal(
    (await WalletMarks.of(wallet, true)).targets.scripts !== null,
    true,
    'a conflict spends the own coin too, so the filter contains its script',
  );
  t.equal((await WalletMarks.of(wallet, false)).targets.scripts !== null, false);
  await memory.receive([{ script, value: 5_000 }], 0);
  t.equal(
    (await WalletMarks.of(wallet, true)).targets.scripts !== null,
    false,
    'a conflict of a payment from others may not contain an own script',
  );
});

t.test('marks a watched witness program whose public key is unknown', async (t) => {
  const { wallet } = await createMemoryWallet();
  const id = crypto.hash160(Uint8Array.of(1, 2, 3));
  const program = keyHashProgram(id);
  await wallet.reassessor.change((batch) => {
    wallet.legacy!.watchScript(payToKeyHash(id), 1, batch);
    wallet.legacy!.addScript(program, 1, batch);
  });
  t.equal(wallet.keys.isMine(program), OWNERSHIP.WATCH);
  const { marks } = (await WalletMarks.of(wallet, false)).targets;
  t.ok(new ScriptMarks(marks).hasScript(program, 0, program.length), 'a scan looks for it');
});

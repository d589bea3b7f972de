// What a scan looks for: filters of blocks are asked as long as scripts alone tell of every transaction that may
// matter.
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { WalletMarks } from '../../../src/wallet/follow/wallet-marks.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';

t.test('unconfirmed transactions and filters', async (t) => {
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
    'a rival spends the own coin too: its script is in the filter',
  );
  t.equal((await WalletMarks.of(wallet, false)).targets.scripts !== null, false);
  await memory.receive([{ script, value: 5_000 }], 0);
  t.equal(
    (await WalletMarks.of(wallet, true)).targets.scripts !== null,
    false,
    'a rival of what somebody else pays need not touch an own script',
  );
});

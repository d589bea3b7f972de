// Tests small rules of the wallet that protect money, each just below and just above its limit: which change may be
// spent, when a payment is rebroadcast, the time of a payment, locked coins, and overwriting of private keys. The
// numbers are from Core 0.21.1's wallet.cpp.

import t from 'tap';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { witnessProgramScript } from '../../../src/consensus/script/build-script.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { signTransaction } from '../../../src/signing/sign-transaction.js';
import { FlatProvider } from '../../../src/signing/signing-provider.js';
import { isLockedCoin } from '../../../src/wallet/coins/outpoint.js';
import { defaultControl } from '../../../src/wallet/spend/coin-control.js';
import { commitTransaction } from '../../../src/wallet/spend/commit-transaction.js';
import { createTransaction } from '../../../src/wallet/spend/create-transaction.js';
import type { Payment } from '../../../src/wallet/spend/payment.js';
import { Resender } from '../../../src/wallet/spend/resend.js';
import { SecretSlab } from '../../../src/wallet/tables/secret-slab.js';
import { createMemoryWallet, crypto, type MemoryWallet, TIP } from '../../framework/memory-wallet.js';

const NOW = 1_600_000_000;
const OUTSIDE = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(7));
const HOUR = 3_600;

function pay({ wallet, tools }: MemoryWallet, amount: number): Promise<Payment | { error: string }> {
  const recipients = [{ script: OUTSIDE, amount, subtractFee: false }];
  return createTransaction(wallet, { recipients, control: defaultControl(false), changePosition: -1, sign: true }, tools);
}

/** A payment of the wallet that is in its mempool, with change. */
async function paid(memory: MemoryWallet, values: ReadonlyMap<string, string> = new Map()): Promise<TxView> {
  const made = await pay(memory, 10_000_000);
  if ('error' in made) throw new Error(made.error);
  t.equal(await commitTransaction(memory.wallet, made.tx, values, memory.tools, { isStillValid: () => true }), null);
  memory.wallet.ledger.setInMempool(made.tx, true);
  return made.tx;
}

t.test('does not spend unconfirmed change of a replaced or replacing payment', async (t) => {
  const outcome = async (values: ReadonlyMap<string, string>): Promise<string> => {
    const memory = await createMemoryWallet();
    await memory.receive([{ script: await memory.address('bech32'), value: 100_000_000 }], TIP - 10);
    const first = await paid(memory, values);
    const second = await pay(memory, 10_000_000);
    if ('error' in second) return second.error;
    return Buffer.from(second.tx.prevHash(0)).equals(first.txid) ? 'the change' : 'something else';
  };
  t.equal(await outcome(new Map()), 'the change');
  t.equal(await outcome(new Map([['comment', 'x']])), 'the change');
  t.match(await outcome(new Map([['replaces_txid', '00'.repeat(32)]])), /Insufficient funds/);
  t.match(await outcome(new Map([['replaced_by_txid', '00'.repeat(32)]])), /Insufficient funds/);
});

t.test('rebroadcasts a payment that is at least five minutes older than the last block', async (t) => {
  /**
   * Counts how often the wallet broadcasts a payment again when its timer fires at several times.
   * @param block seconds between the payment and the last block
   */
  const offered = async (block: number): Promise<{ first: number; early: number; due: number }> => {
    const memory = await createMemoryWallet();
    await memory.receive([{ script: await memory.address('bech32'), value: 100_000_000 }], TIP - 10);
    await paid(memory);
    let now = NOW;
    let count = 0;
    const { tools } = memory;
    tools.nowSeconds = () => now;
    tools.chance = { ...tools.chance, below: () => 0 };
    tools.client.broadcast = async () => {
      count++;
      return null;
    };
    const resender = new Resender({
      tools: memory.tools,
      wallets: () => [memory.wallet],
      lastBlockSeconds: () => NOW + block,
    });
    const after = async (seconds: number): Promise<number> => {
      now = NOW + seconds;
      count = 0;
      await resender.tick();
      return count;
    };
    return { first: await after(0), early: await after(12 * HOUR - 1), due: await after(12 * HOUR) };
  };
  t.same(await offered(300), { first: 0, early: 0, due: 1 }, 'and twelve hours after the start at the soonest');
  t.same(await offered(299), { first: 0, early: 0, due: 0 }, 'a block may just have missed it');
});

t.test('does not rebroadcast before the node is ready, or with -walletbroadcast=0', async (t) => {
  const count = async (ready: boolean, walletBroadcast: boolean): Promise<number> => {
    const memory = await createMemoryWallet({ wallet: { walletBroadcast } });
    await memory.receive([{ script: await memory.address('bech32'), value: 100_000_000 }], TIP - 10);
    await paid(memory);
    let [now, offers] = [NOW, 0];
    memory.tools.nowSeconds = () => now;
    memory.tools.chance = { ...memory.tools.chance, below: () => 0 };
    memory.tools.client.isReady = async () => ready;
    memory.tools.client.broadcast = async () => {
      offers++;
      return null;
    };
    const resender = new Resender({
      tools: memory.tools,
      wallets: () => [memory.wallet],
      lastBlockSeconds: () => NOW + 1_000,
    });
    await resender.tick();
    now += 13 * HOUR;
    await resender.tick();
    return offers;
  };
  t.same([await count(true, true), await count(false, true), await count(true, false)], [1, 0, 0]);
});

t.test('schedules the first rebroadcast before it waits for the node', async (t) => {
  const memory = await createMemoryWallet();
  await memory.receive([{ script: await memory.address('bech32'), value: 100_000_000 }], TIP - 10);
  await paid(memory);
  let [now, offers] = [NOW, 0];
  memory.tools.nowSeconds = () => now;
  memory.tools.chance = { ...memory.tools.chance, below: () => 0 };
  memory.tools.client.isReady = async () => {
    now += 13 * HOUR;
    return true;
  };
  memory.tools.client.broadcast = async () => {
    offers++;
    return null;
  };
  const resender = new Resender({ tools: memory.tools, wallets: () => [memory.wallet], lastBlockSeconds: () => NOW + 1_000 });
  await resender.tick();
  t.equal(offers, 1);
});

t.test('dates a payment in a block no earlier than previous ones, tolerating five minutes', async (t) => {
  /**
   * Returns the time of a payment in an old block.
   * @param ahead seconds by which the clock was ahead when the payment before it arrived
   */
  const smart = async (ahead: number): Promise<number> => {
    let now = NOW + ahead;
    const memory = await createMemoryWallet({ now: () => now });
    const script = await memory.address('bech32');
    await memory.receive([{ script, value: 1_000_000 }], 0);
    now = NOW;
    // This block is ten blocks before the tip, so its time is 6,000 seconds ago.
    const tx = await memory.receive([{ script, value: 2_000_000 }], TIP - 10);
    const { txs } = memory.wallet.ledger;
    return txs.smartTime(txs.find(tx.txid)) - NOW;
  };
  t.equal(await smart(300), 300);
  t.equal(await smart(301), -6_000, 'that clock is not believed');
  t.equal(await smart(-500), -500, 'not before the one that came first');
  t.equal(await smart(-7_000), -6_000, 'the time of the block');
});

t.test('unlocks a locked coin when it is spent', async (t) => {
  const memory = await createMemoryWallet();
  const { wallet } = memory;
  const script = await memory.address('bech32');
  const coin = await memory.receive([{ script, value: 1_000_000 }], TIP - 10);
  const kept = await memory.receive([{ script, value: 1_000_000 }], TIP - 10);
  const outpointOf = (tx: TxView): Uint8Array => Uint8Array.of(...tx.txid, 0, 0, 0, 0);
  for (const tx of [coin, kept]) wallet.ledger.locked.set(hashKey(outpointOf(tx)), outpointOf(tx));
  const spender = parseTx(
    buildTx({
      version: 2,
      inputs: [{ prevHash: coin.txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff }],
      outputs: [{ value: 900_000, script: OUTSIDE }],
      locktime: 0,
    }),
    crypto,
  );
  await memory.enter(spender);
  t.same([isLockedCoin(wallet.ledger, outpointOf(coin)), isLockedCoin(wallet.ledger, outpointOf(kept))], [false, true]);
  t.equal(wallet.ledger.locked.size, 1);
});

t.test('copies of private keys are overwritten when an input is signed', async (t) => {
  const handed: Uint8Array[] = [];
  class Noting extends FlatProvider {
    override secret(id: Uint8Array): Uint8Array | undefined {
      const secret = super.secret(id);
      if (secret !== undefined) handed.push(secret);
      return secret;
    }
  }
  const secret = new Uint8Array(32).fill(9);
  const key = createKeyMath().publicKey(secret, true) as Uint8Array;
  const id = crypto.hash160(key);
  const provider = new Noting();
  provider.publicKeys.set(hashKey(id), key);
  provider.secrets.set(hashKey(id), secret.slice());
  const script = witnessProgramScript(0, id);
  const tx = parseTx(
    buildTx({
      version: 2,
      inputs: [{ prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff }],
      outputs: [{ value: 1_000, script: OUTSIDE }],
      locktime: 0,
    }),
    crypto,
  );
  const [signed] = await signTransaction(tx, [{ value: 2_000, script }], provider, 1, { crypto, signer: createSigner() });
  t.equal(signed?.witness.length, 2);
  t.ok(handed.length > 0);
  for (const copy of handed) t.same(copy, new Uint8Array(32));
  const [own] = provider.secrets.values();
  t.same(own, secret, "the provider's own is kept");
  provider.wipe();
  t.same(own, new Uint8Array(32));
  t.equal(provider.secrets.size, 0);
});

t.test('private keys at rest are overwritten when their memory grows and at the end', async (t) => {
  const slab = new SecretSlab(64, 2);
  const [a, b, c] = [1, 2, 3].map((value) => new Uint8Array(32).fill(value)) as [Uint8Array, Uint8Array, Uint8Array];
  slab.add(a);
  slab.add(b);
  const old = slab.get(0);
  t.same(old, a);
  slab.add(c);
  t.same(old, new Uint8Array(32), 'the memory that was too small');
  t.same([slab.get(0), slab.get(1), slab.get(2)], [a, b, c]);
  const last = [slab.get(0), slab.get(2)];
  slab.wipe();
  t.same(last, [new Uint8Array(32), new Uint8Array(32)]);
});

// Tests payments from wallets of random coins. Every transaction is signed, pays the requested amounts and the fee of
// its size, and spends only eligible coins. Further tests cover single options and fee rates.

import t from 'tap';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { STANDARD_SCRIPT_FLAGS } from '../../../src/consensus/script/flags.js';
import { SighashCache } from '../../../src/consensus/script/sighash.js';
import { verifyTxInput } from '../../../src/consensus/script/verify-input.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { isChange } from '../../../src/wallet/address-use.js';
import { BUCKET } from '../../../src/wallet/coins/coin-table.js';
import { isLockedCoin } from '../../../src/wallet/coins/outpoint.js';
import type { AddressType } from '../../../src/wallet/keys/key-source.js';
import { type CoinControl, defaultControl } from '../../../src/wallet/spend/coin-control.js';
import { commitTransaction, payAndRecord } from '../../../src/wallet/spend/commit-transaction.js';
import { createTransaction } from '../../../src/wallet/spend/create-transaction.js';
import { discardFeeRate, minimumFeeRate } from '../../../src/wallet/spend/fee-rates.js';
import { DEFAULT_SPEND } from '../../../src/wallet/spend/options.js';
import type { Payment } from '../../../src/wallet/spend/payment.js';
import { fc } from '../../framework/fast-check.js';
import { createMemoryWallet, crypto, type MemoryWallet, TIP } from '../../framework/memory-wallet.js';
import { turnsDuring } from '../../framework/turns.js';

const CENT = 1_000_000;
const OUTSIDE = new Uint8Array(22).fill(7);
OUTSIDE[0] = 0;
OUTSIDE[1] = 20;
/** Makes payments skip the last check of their coins. */
const AT_ONCE = { isStillValid: () => true };
const KINDS: readonly AddressType[] = ['legacy', 'p2sh-segwit', 'bech32'];

function pay(
  { wallet, tools }: MemoryWallet,
  amount: number,
  control: Partial<CoinControl> = {},
  subtractFee = false,
): Promise<Payment | { error: string }> {
  const recipients = [{ script: OUTSIDE, amount, subtractFee }];
  return createTransaction(
    wallet,
    { recipients, control: { ...defaultControl(false), ...control }, changePosition: -1, sign: true },
    tools,
  );
}

/** Returns the outputs that a transaction of the wallet spends. */
function spentBy({ wallet }: MemoryWallet, tx: TxView): { value: number; script: Uint8Array; key: string }[] {
  const { coins } = wallet.ledger;
  return Array.from({ length: tx.inputCount }, (_, i) => {
    const coin = coins.find(tx.outpoint(i));
    return { value: coins.value(coin), script: coins.script(coin), key: hashKey(tx.outpoint(i)) };
  });
}

/** Lists the faults of a payment. */
function faultsOf(memory: MemoryWallet, made: Payment, amount: number, feeRate: number, subtractFee: boolean): string[] {
  const faults: string[] = [];
  const { tx, fee, changePosition } = made;
  const spent = spentBy(memory, tx);
  const cache = new SighashCache(tx, crypto, spent);
  for (let i = 0; i < tx.inputCount; i++) {
    if (verifyTxInput(tx, i, spent, STANDARD_SCRIPT_FLAGS, crypto, cache) !== 0) faults.push(`input ${i} does not verify`);
  }
  if (new Set(spent.map(({ key }) => key)).size !== spent.length) faults.push('a coin twice');
  const input = spent.reduce((sum, { value }) => sum + value, 0);
  let output = 0;
  for (let i = 0; i < tx.outputCount; i++) output += tx.outputValue(i);
  if (input !== output + fee) faults.push(`${input} in, ${output} out, fee ${fee}`);
  const least = Math.floor((tx.vsize * feeRate) / 1000);
  if (fee < least) faults.push(`fee ${fee} below ${least}`);
  // A signature has 71 bytes or sometimes 70. So allow one virtual byte per input, and more if the signature is in a
  // scriptSig.
  const most = Math.ceil(((tx.vsize + 2 * tx.inputCount) * feeRate) / 1000);
  if (changePosition >= 0 && fee > most) faults.push(`fee ${fee} above ${most}`);
  const paid = Array.from({ length: tx.outputCount }, (_, i) => i).find((i) => i !== changePosition);
  if (paid === undefined || tx.outputValue(paid) !== (subtractFee ? amount - fee : amount)) {
    if (!(subtractFee && changePosition < 0)) faults.push('another amount');
  }
  if (changePosition >= 0 && memory.wallet.keys.isMine(tx.outputScript(changePosition)) === 0) faults.push('change to strangers');
  return faults;
}

t.test('random payments of random wallets are signed, pay the amount and the right fee', async (t) => {
  let made = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(
        fc.record({
          kind: fc.constantFrom(...KINDS),
          value: fc.integer({ min: 1000, max: 40 * CENT }),
          depth: fc.constantFrom(0, 1, 3, 6, 100),
          locked: fc.constantFrom(false, false, false, true),
        }),
        { minLength: 1, maxLength: 12 },
      ),
      fc.array(
        fc.record({
          share: fc.integer({ min: 1, max: 130 }),
          subtractFee: fc.boolean(),
          together: fc.boolean(),
          feeRate: fc.constantFrom(null, 1000, 25_000, 100_000),
          replaceable: fc.constantFrom(null, true, false),
          minDepth: fc.constantFrom(0, 0, 4),
        }),
        { minLength: 1, maxLength: 5 },
      ),
      async (descriptors, received, payments) => {
        const memory = await createMemoryWallet({ descriptors });
        const { wallet } = memory;
        const scripts = new Map<AddressType, Uint8Array>();
        for (const kind of KINDS) scripts.set(kind, await memory.address(kind));
        for (const { kind, value, depth, locked } of received) {
          const script = (value & 1) === 1 ? scripts.get(kind)! : await memory.address(kind);
          const tx = await memory.receive([{ script, value }], depth === 0 ? 0 : TIP - depth + 1);
          const outpoint = new Uint8Array(36);
          outpoint.set(tx.txid);
          if (locked) wallet.ledger.locked.set(hashKey(outpoint), outpoint);
        }
        for (const { share, subtractFee, together, feeRate, replaceable, minDepth } of payments) {
          // Unconfirmed coins from others are not trusted; the wallet's own change is.
          const { coins } = wallet.ledger;
          const usable = [...coins.inBucket(BUCKET.CONFIRMED), ...coins.inBucket(BUCKET.PENDING)].filter((coin) => {
            const row = wallet.ledger.coins.txRow(coin);
            const depth = wallet.ledger.depth(row);
            const trusted = depth > 0 || wallet.ledger.sheet.isTrusted(row);
            return trusted && depth >= minDepth && !isLockedCoin(wallet.ledger, wallet.ledger.coins.outpoint(coin));
          });
          const funds = usable.reduce((sum, coin) => sum + wallet.ledger.coins.value(coin), 0);
          const amount = Math.floor((funds * share) / 100);
          const allowed = new Set(usable.map((coin) => hashKey(wallet.ledger.coins.outpoint(coin))));
          const answer = await pay(memory, amount, { avoidPartialSpends: together, feeRate, replaceable, minDepth }, subtractFee);
          if ('error' in answer) {
            refused++;
            const most = ((10 + 31 * 2 + usable.length * 150) * (feeRate ?? 10_000)) / 1000;
            if (answer.error === 'Insufficient funds' && amount + (subtractFee ? 0 : most) <= funds)
              throw new Error(`${amount} of ${funds}`);
            if (answer.error !== 'Insufficient funds' && amount > most + 1000) throw new Error(answer.error);
            continue;
          }
          made++;
          const faults = faultsOf(memory, answer, amount, feeRate ?? 10_000, subtractFee);
          if (spentBy(memory, answer.tx).some(({ key }) => !allowed.has(key))) faults.push('a coin that may not be spent');
          const sequence = replaceable ? 0xfffffffd : 0xfffffffe;
          if (answer.tx.sequence(0) !== sequence) faults.push('sequence');
          if (faults.length > 0) throw new Error(faults.join('; '));
          await commitTransaction(wallet, answer.tx, new Map(), memory.tools, AT_ONCE);
          await memory.enter(answer.tx);
        }
      },
    ),
    { numRuns: 60 },
  );
  t.ok(made > 60 && refused > 20, `${made} made, ${refused} refused`);
});

t.test('pays with large coins when small ones alone make the transaction too large', async (t) => {
  const memory = await createMemoryWallet();
  const script = await memory.address('bech32');
  for (let i = 0; i < 6; i++) {
    await memory.receive(
      Array.from({ length: 1000 }, () => ({ script, value: CENT })),
      TIP - 50,
    );
  }
  // 6,000 coins of a cent: 5,900 of them fit no transaction.
  t.same(await pay(memory, 5900 * CENT, { feeRate: 1000 }), { error: 'Transaction too large' });
  const large = await memory.receive([{ script, value: 3000 * CENT }], TIP - 50);
  const made = await pay(memory, 3600 * CENT, { feeRate: 1000 });
  t.notOk('error' in made, 'the large coin and some small ones');
  if ('error' in made) return;
  t.same(faultsOf(memory, made, 3600 * CENT, 1000, false), []);
  t.ok(spentBy(memory, made.tx).some(({ key }) => key.startsWith(hashKey(large.txid))));
});

t.test('paying from 40,000 coins yields to other work', async (t) => {
  const memory = await createMemoryWallet();
  const scripts = await Promise.all(Array.from({ length: 20 }, (_, i) => memory.address(KINDS[i % 3])));
  for (let i = 0; i < 40; i++) {
    await memory.receive(
      Array.from({ length: 1000 }, (_, j) => ({ script: scripts[j % 20], value: CENT + j * 1000 + i })),
      TIP - 50,
    );
  }
  let made = await pay(memory, CENT);
  const turns = await turnsDuring(async () => {
    made = await pay(memory, 123 * CENT);
  });
  t.notOk('error' in made);
  if (!('error' in made)) t.same(faultsOf(memory, made, 123 * CENT, 10_000, false), []);
  t.ok(turns > 20, `${turns} turns of the loop`);
});

t.test('the change type follows the recipients, and a refused payment uses no key', async (t) => {
  const kindOf = (script: Uint8Array): string => ({ 25: 'legacy', 23: 'p2sh-segwit', 22: 'bech32' })[script.length] ?? 'other';
  const p2pkh = Uint8Array.of(0x76, 0xa9, 20, ...new Uint8Array(20), 0x88, 0xac);
  for (const [addressType, changeType, to, wanted] of [
    ['bech32', undefined, p2pkh, 'bech32'],
    ['p2sh-segwit', undefined, p2pkh, 'p2sh-segwit'],
    ['p2sh-segwit', undefined, OUTSIDE, 'bech32'],
    ['legacy', undefined, OUTSIDE, 'legacy'],
    ['bech32', 'legacy', OUTSIDE, 'legacy'],
  ] as const) {
    const memory = await createMemoryWallet({ wallet: { addressType, changeType } });
    const { wallet, tools } = memory;
    const script = await memory.address('bech32');
    await memory.receive([{ script, value: 10 * CENT }], TIP - 10);
    const before = wallet.legacy!.pool.internalSize;
    const request = { recipients: [{ script: to, amount: CENT, subtractFee: false }], changePosition: 0, sign: true };
    const refusal = await createTransaction(
      wallet,
      { ...request, recipients: [{ script: to, amount: 20 * CENT, subtractFee: false }], control: defaultControl(false) },
      tools,
    );
    t.same(refusal, { error: 'Insufficient funds' });
    t.equal(wallet.legacy!.pool.internalSize, before, 'a refused payment uses no key');
    const made = await createTransaction(wallet, { ...request, control: defaultControl(false) }, tools);
    if ('error' in made) throw new Error(made.error);
    t.equal(kindOf(made.tx.outputScript(0)), wanted, `${addressType}, ${changeType}`);
    t.equal(isChange(wallet, made.tx.outputScript(0)), true);
  }
});

t.test('does not spend a coin that is locked while the payment is made', async (t) => {
  const memory = await createMemoryWallet();
  const { wallet, tools } = memory;
  const [first, second] = [await memory.address('bech32'), await memory.address('bech32')];
  const lost = await memory.receive([{ script: first, value: 5 * CENT }], TIP - 10);
  const outpoint = new Uint8Array(36);
  outpoint.set(lost.txid);
  // The chosen coin gets locked at the last moment. The first payment finds no other coin; a later one does.
  const signer = tools.signer;
  tools.signer = {
    ...signer,
    signLowR: (secret, message) => {
      wallet.ledger.locked.set(hashKey(outpoint), outpoint);
      return signer.signLowR(secret, message);
    },
  };
  t.same(await pay(memory, CENT), { error: 'Insufficient funds' });
  wallet.ledger.locked.clear();
  const other = await memory.receive([{ script: second, value: 50 * CENT }], TIP - 10);
  const made = await pay(memory, 2 * CENT);
  if ('error' in made) throw new Error(made.error);
  t.same(
    spentBy(memory, made.tx).map(({ key }) => key.slice(0, 32)),
    [hashKey(other.txid)],
  );
});

for (const others of [true, false]) {
  t.test(`${others ? 'pays with other coins' : 'fails'} if its coins are spent before the payment is recorded`, async (t) => {
    const memory = await createMemoryWallet();
    const { wallet, tools } = memory;
    for (let i = 0; i < (others ? 2 : 1); i++)
      await memory.receive([{ script: await memory.address('bech32'), value: 5 * CENT }], TIP - 10);
    // The payment is recorded after the exclusive work. Payments that arrive during that work are processed at its end.
    let first: TxView | undefined;
    tools.client.fitsChainLimits = async (bytes) => {
      const tx = parseTx(bytes, crypto);
      if (first) return true;
      first = tx;
      const input = { prevHash: tx.prevHash(0), prevIndex: tx.prevIndex(0), scriptSig: new Uint8Array(0), sequence: 0xffffffff };
      const spend = buildTx({ version: 2, inputs: [input], outputs: [{ script: OUTSIDE, value: CENT }], locktime: 0 });
      void wallet.access.runExclusive(() => new Promise((resolve) => setImmediate(resolve)));
      wallet.events.push({ kind: 'entered', tx: parseTx(spend, crypto) });
      return true;
    };
    const request = {
      recipients: [{ script: OUTSIDE, amount: CENT, subtractFee: false }],
      control: defaultControl(false),
      changePosition: -1,
      sign: true,
    };
    const options = { ...tools.options, rejectLongChains: true };
    const made = await payAndRecord(wallet, request, new Map(), { ...tools, options });
    t.equal(wallet.ledger.txs.find(first!.txid), -1, 'the first draft is not recorded');
    if ('error' in made) t.same(made, { error: 'Insufficient funds' });
    else t.ok(wallet.ledger.txs.find(made.tx.txid) >= 0, 'paid with others');
    t.equal('error' in made, !others);
  });
}

t.test('does not spend coins of used addresses when it avoids reuse', async (t) => {
  const memory = await createMemoryWallet({ avoidReuse: true });
  const { wallet, tools } = memory;
  const script = await memory.address('bech32');
  await memory.receive([{ script, value: 3 * CENT }], TIP - 10);
  const made = await pay(memory, CENT, { avoidAddressReuse: true });
  if ('error' in made) throw new Error(made.error);
  await commitTransaction(wallet, made.tx, new Map(), tools, AT_ONCE);
  await memory.receive([{ script, value: 30 * CENT }], TIP - 10);
  t.same(await pay(memory, 20 * CENT, { avoidAddressReuse: true }), { error: 'Insufficient funds' });
  t.notOk('error' in (await pay(memory, 20 * CENT)));
});

t.test('reports the fee rate and its reason for each setting', async (t) => {
  const rates = { mempoolMinimum: 0, relayMinimum: 1000, incremental: 1000, dust: 3000 };
  const asked: [number, boolean][] = [];
  const setting = (
    estimate: number,
    more: { pay?: number; pool?: number; fallback?: number; replaceable?: boolean; min?: number } = {},
  ) => ({
    client: {
      estimate: async (target: number, conservative: boolean) => {
        asked.push([target, conservative]);
        return { feeRate: estimate, reason: 'Target 85% Threshold' };
      },
      constants: { longestTarget: 1008, maxAncestors: 25, maxDescendants: 25, scanDepth: 0, signers: 0, hasFilters: false },
      rates: async () => ({ ...rates, mempoolMinimum: more.pool ?? 0 }),
    },
    options: {
      ...DEFAULT_SPEND,
      fallbackFeeRate: more.fallback ?? 0,
      replaceable: more.replaceable ?? false,
      minFeeRate: more.min ?? 1000,
    },
    payFeeRate: more.pay ?? 0,
  });
  const wishes = { feeRate: null, overrideFeeRate: false, confirmTarget: null, feeMode: 'unset', replaceable: null } as const;
  t.same(await minimumFeeRate(setting(9000), wishes), { feeRate: 9000, reason: 'Target 85% Threshold' });
  t.same(asked.pop(), [6, true], 'the default target, careful because it cannot be replaced');
  await minimumFeeRate(setting(9000), { ...wishes, replaceable: true });
  t.same(asked.pop(), [6, false]);
  await minimumFeeRate(setting(9000, { replaceable: true }), { ...wishes, confirmTarget: 3 });
  t.same(asked.pop(), [3, false]);
  await minimumFeeRate(setting(9000, { replaceable: true }), { ...wishes, feeMode: 'conservative' });
  t.same(asked.pop(), [6, true]);
  await minimumFeeRate(setting(9000), { ...wishes, feeMode: 'economical' });
  t.same(asked.pop(), [6, false]);
  t.same(await minimumFeeRate(setting(0), wishes), { feeRate: 0, reason: 'Fallback fee' });
  t.same(await minimumFeeRate(setting(0, { fallback: 20_000 }), wishes), { feeRate: 20_000, reason: 'Fallback fee' });
  t.same(await minimumFeeRate(setting(9000, { pool: 12_000 }), wishes), { feeRate: 12_000, reason: 'Mempool Min Fee' });
  t.same(await minimumFeeRate(setting(500), wishes), { feeRate: 1000, reason: 'Minimum Required Fee' });
  t.same(await minimumFeeRate(setting(5000, { min: 7000 }), wishes), { feeRate: 7000, reason: 'Minimum Required Fee' });
  t.same(await minimumFeeRate(setting(9000, { pay: 4000 }), wishes), { feeRate: 4000, reason: 'PayTxFee set' });
  t.same((await minimumFeeRate(setting(9000, { pay: 4000 }), { ...wishes, confirmTarget: 2 })).feeRate, 9000, 'a target beats settxfee');
  t.same((await minimumFeeRate(setting(9000, { pay: 4000, pool: 12_000 }), { ...wishes, feeRate: 3000 })).feeRate, 3000);
  t.same((await minimumFeeRate(setting(9000), { ...wishes, feeRate: 100 })).feeRate, 1000);
  t.same((await minimumFeeRate(setting(9000), { ...wishes, feeRate: 100, overrideFeeRate: true })).feeRate, 100);
  t.equal(await discardFeeRate(setting(0)), 10_000);
  t.equal(await discardFeeRate(setting(4000)), 4000);
  t.equal(await discardFeeRate(setting(50_000)), 10_000);
  t.equal(await discardFeeRate(setting(1000)), 3000, 'never below what relays as dust');
});

t.test('records a payment even if broadcasting fails', async (t) => {
  const memory = await createMemoryWallet();
  const { wallet, tools, address, receive } = memory;
  await receive([{ value: 5 * CENT, script: await address('bech32') }], TIP - 10);
  const made = await pay(memory, CENT);
  if ('error' in made) throw new Error(made.error);
  const busy = { ...tools, client: { ...tools.client, broadcast: () => Promise.reject(new Error('the verifier is busy')), sync() {} } };
  t.equal(await commitTransaction(wallet, made.tx, new Map(), busy, AT_ONCE), 'the verifier is busy', 'the error is returned, not thrown');
  t.ok(wallet.ledger.txs.find(made.tx.txid) >= 0, 'the payment is recorded');
  const again = await pay(memory, 4 * CENT - 100_000);
  t.ok('error' in again, 'its coins are spent');
});

t.test('changes wait until exclusive work has ended', async (t) => {
  const { wallet } = await createMemoryWallet();
  let thaw = (): void => {};
  const exchange = wallet.access.runExclusive(() => new Promise<void>((resolve) => (thaw = resolve)));
  let done = false;
  const change = wallet.change(() => {
    done = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(done, false);
  thaw();
  await exchange;
  await change;
  t.equal(done, true);
});

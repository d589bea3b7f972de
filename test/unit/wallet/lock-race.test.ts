// Runs walletlock, a timeout and unloadwallet at every pause of every call that uses private keys. The call must either
// do all of its work, or fail because the wallet is locked and leave the wallet unchanged. The tests count event-loop
// ticks, and a slice ends after a number of readings of the work clock.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { encodeAddress } from '../../../src/address/address.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { createPsbt } from '../../../src/psbt/create-psbt.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import type { CallInfo } from '../../../src/rpc/dispatch.js';
import { psbtText } from '../../../src/rpc/render/psbt-text.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, BatchOptions } from '../../../src/storage/store.js';
import { sealMasterKey } from '../../../src/wallet/crypt/master-key.js';
import { WalletLock } from '../../../src/wallet/lock.js';
import { NOT_LOADED } from '../../../src/wallet/manage/wallet-error.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { clientOf } from '../../framework/chain-client.js';
import { rounds } from '../../framework/depth.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { countingReadings } from '../../framework/turns.js';
import { contextOf, encrypt, masterKey, ranged, rowsOf } from '../../framework/wallet-calls.js';

const OUTSIDE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const LOCKED = 'Error: Please enter the wallet passphrase with walletpassphrase first.';
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A store in which every access takes one event-loop tick, as an access to a disk may. */
class Slow extends MemoryStore {
  slow = false;
  override async batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
    if (this.slow) await turn();
    await super.batch(ops, options);
  }
  override async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    if (this.slow) await turn();
    return super.getMany(keys);
  }
}

interface World {
  readonly wallet: Wallet;
  readonly dir: string;
  call(method: string, ...params: unknown[]): Promise<unknown>;
  /** A transaction with twelve inputs of the wallet's own, in hex. */
  readonly unsigned: string;
  readonly address: string;
}

async function world(dir: string): Promise<World> {
  const store = new Slow();
  const { wallet, tools, address, receive } = await createMemoryWallet({ store, wallet: { keypool: 4 } });
  const script = await address('bech32');
  const coins = await Promise.all(Array.from({ length: 12 }, (_, i) => receive([{ script, value: 100_000_000 }], TIP - 20 - i)));
  const legacyScript = await address('legacy');
  await encrypt(wallet);
  tools.client.broadcast = async (bytes) => {
    await turn();
    wallet.events.push({ kind: 'entered', tx: parseTx(bytes, crypto) });
    return null;
  };
  const spent = new Map(coins.map((tx) => [Buffer.from(tx.txid).toString('hex'), tx]));
  const context = contextOf(wallet);
  const selectWallet = (): Wallet => {
    wallet.assertOpen();
    return wallet;
  };
  const ctx = {
    ...context,
    wallets: { ...context.wallets, selectWallet },
    spend: tools,
    signer: createSigner(),
    client: clientOf(
      { tip: wallet.tip! },
      {},
      {
        outputs: async (outpoints) => {
          await turn();
          return outpoints.map((outpoint) => {
            const tx = spent.get(Buffer.from(outpoint.subarray(0, 32)).toString('hex'));
            return tx ? { value: tx.outputValue(0), script: tx.outputScript(0) } : null;
          });
        },
      },
    ),
  } as unknown as WalletContext;
  const info: CallInfo = { user: '', path: '/' };
  const inputs = coins.map(({ txid }) => ({ prevHash: txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xfffffffd }));
  const unsigned = buildTx({ version: 2, inputs, outputs: [{ script, value: 1000 }], locktime: 0 });
  store.slow = true;
  const text = (of: Uint8Array): string => encodeAddress(of, ctx.params, crypto)!;
  return {
    wallet,
    dir,
    unsigned: Buffer.from(unsigned).toString('hex'),
    address: text(legacyScript),
    call: async (method, ...params) => {
      const args = params.map((value) => parseJson(Buffer.from(JSON.stringify(value))));
      return JSON.parse(encodeJson(((await runMethod(method, ctx, args, info)) ?? null) as never));
    },
  };
}

/** Returns the state that a failing call must leave unchanged. */
const stateOf = async ({ wallet, dir }: World): Promise<string> => {
  const rows = await rowsOf(wallet);
  return JSON.stringify([rows, wallet.ledger.txs.size, [...wallet.ledger.locked.keys()], fs.readdirSync(dir)]);
};

interface Case {
  /** Prepares the wallet for the call. @returns a function that makes the call */
  begin(world: World): Promise<() => Promise<unknown>>;
  /** Returns true if an answer is complete. @param locked the wallet was locked before the call began */
  whole(answer: unknown, world: World, locked: boolean): boolean;
  /** Milliseconds that pass on the work clock with each reading. A slice ends after 2 ms. */
  readonly readingMs?: number;
  /** The call also waits for files, for a varying number of event-loop ticks. */
  readonly ofTheDisk?: boolean;
}
/** The selection of coins reads the clock hundreds of times, so each reading takes little time. */
const CHOOSING_MS = 0.02;
const TXID = /^[0-9a-f]{64}$/;
const isTxid = (answer: unknown, { wallet }: World): boolean =>
  TXID.test(String(answer)) && wallet.ledger.txs.has(new Uint8Array(Buffer.from(String(answer), 'hex').reverse()));
const CASES: Readonly<Record<string, Case>> = {
  sendtoaddress: {
    begin:
      async ({ call }) =>
      () =>
        call('sendtoaddress', OUTSIDE, 3.5),
    whole: isTxid,
    readingMs: CHOOSING_MS,
  },
  sendmany: {
    begin:
      async ({ call }) =>
      () =>
        call('sendmany', '', { [OUTSIDE]: 2.5 }),
    whole: isTxid,
    readingMs: CHOOSING_MS,
  },
  send: {
    begin:
      async ({ call }) =>
      () =>
        call('send', { [OUTSIDE]: 2.5 }, null, 'unset', 5),
    // Without private keys the call returns an unsigned PSBT, as in Core.
    whole: (answer, world, locked) => (locked ? 'psbt' in (answer as object) : isTxid((answer as { txid: string }).txid, world)),
    readingMs: CHOOSING_MS,
  },
  bumpfee: {
    begin: async ({ call }) => {
      const txid = await call('sendtoaddress', OUTSIDE, 1.5, '', '', false, true);
      return () => call('bumpfee', txid);
    },
    whole: (answer, world) => isTxid((answer as { txid: string }).txid, world),
    readingMs: CHOOSING_MS,
  },
  signrawtransactionwithwallet: {
    begin:
      async ({ call, unsigned }) =>
      () =>
        call('signrawtransactionwithwallet', unsigned),
    whole: (answer) => (answer as { complete: boolean }).complete,
  },
  walletprocesspsbt: {
    begin: async ({ call, unsigned }) => {
      const psbt = createPsbt(parseTx(new Uint8Array(Buffer.from(unsigned, 'hex')), crypto, { allowWitness: false }), crypto);
      return () => call('walletprocesspsbt', psbtText(psbt, crypto, COMPATS['0.21.1']));
    },
    // Without private keys the call signs nothing, as in Core.
    whole: (answer, _, locked) => (answer as { complete: boolean }).complete === !locked,
  },
  importmulti: {
    begin:
      async ({ call }) =>
      () =>
        call('importmulti', [ranged([0, 4])], { rescan: false }),
    whole: (answer) => JSON.stringify(answer) === '[{"success":true}]',
  },
  importprivkey: {
    begin:
      async ({ call }) =>
      () =>
        call('importprivkey', 'cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW', '', false),
    whole: (answer) => answer === null,
  },
  dumpwallet: {
    begin:
      async ({ call, dir }) =>
      () =>
        call('dumpwallet', path.join(dir, 'dump')),
    readingMs: CHOOSING_MS,
    ofTheDisk: true,
    whole: (_, { dir }) => /# End of dump\n$/.test(fs.readFileSync(path.join(dir, 'dump'), 'utf8')),
  },
  dumpprivkey: {
    begin:
      async ({ call, address }) =>
      () =>
        call('dumpprivkey', address),
    whole: (answer) => /^c/.test(String(answer)),
  },
  keypoolrefill: {
    begin:
      async ({ call }) =>
      () =>
        call('keypoolrefill', 30),
    whole: (_, { wallet }) => wallet.legacy!.pool.externalSize === 30,
  },
  sethdseed: {
    begin:
      async ({ call }) =>
      () =>
        call('sethdseed', true),
    whole: (_, { wallet }) => wallet.legacy!.pool.entries().length === 8,
  },
};

/** Ways to lock a wallet. */
const LOCKS: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  walletlock: async ({ call, wallet }) => {
    await call('walletlock');
    if (!wallet.vault.locked) throw new Error('it answered before the wallet was locked');
  },
  timeout: async ({ wallet }) => wallet.encryption.lock(),
  unloadwallet: async ({ wallet }) => wallet.access.runExclusive(() => wallet.close(true)),
};
/** Calls that are tried with these ways of locking: the ones with the most pauses. All calls are tried with walletlock. */
const TRIED: Readonly<Record<string, readonly string[]>> = {
  timeout: ['sendtoaddress', 'dumpwallet'],
  unloadwallet: ['sendtoaddress', 'bumpfee', 'signrawtransactionwithwallet', 'walletprocesspsbt', 'importmulti'],
};

/** Runs a call and locks the wallet in event-loop tick `at`. @returns true if the call had ended before */
async function race(
  t: Test,
  one: Case,
  lock: (world: World) => Promise<unknown>,
  at: number,
  counts: Map<string, number>,
): Promise<boolean> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-race-'));
  try {
    const here = await world(dir);
    const begin = await one.begin(here);
    const before = await stateOf(here);
    const { size } = here.wallet.ledger.txs;
    let over = false;
    let early = false;
    let locking: Promise<unknown> | undefined;
    const outcome = await countingReadings(async () => {
      const going = (async () => {
        for (let i = 0; i < at; i++) await turn();
        early = over;
        locking = lock(here);
      })();
      const answer = await begin()
        .then(
          (value) => ({ value }),
          (error: Error) => ({ error }),
        )
        .finally(() => {
          over = true;
        });
      await going;
      await locking;
      return answer;
    }, one.readingMs ?? READING_MS);
    t.ok(here.wallet.vault.locked, `turn ${at}: it is locked in the end`);
    const kind = 'error' in outcome ? 'refused' : 'done';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if ('error' in outcome) {
      const { closed, ledger } = here.wallet;
      const isAsBefore = closed ? ledger.txs.size === size : (await stateOf(here)) === before;
      if (outcome.error.message !== (closed ? NOT_LOADED : LOCKED) || !isAsBefore) t.fail(`turn ${at}: ${outcome.error.message}`);
    } else if (!one.whole(outcome.value, here, at === 0)) t.fail(`turn ${at}: ${JSON.stringify(outcome.value)?.slice(0, 200)}`);
    return early;
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** walletlock is tried at every pause, the other ways of locking at every second one; nightly at every one too. */
const stepOf = (how: string): number => (how === 'walletlock' ? 1 : rounds(2, 1));
/** With this value a slice contains the work for about one input. */
const READING_MS = 0.4;
/** More event-loop ticks than any of the calls needs. */
const MOST_TURNS = 200;
const SOME_TURNS = 25;
for (const [method, one] of Object.entries(CASES)) {
  for (const [how, lock] of Object.entries(LOCKS)) {
    if (TRIED[how]?.includes(method) === false) continue;
    t.test(`${method} does all of its work or none when ${how} comes at any pause`, async (t) => {
      const counts = new Map<string, number>();
      let at = 0;
      const most = one.ofTheDisk ? SOME_TURNS : MOST_TURNS;
      while (at < most && !(await race(t, one, lock, at, counts))) at += stepOf(how);
      t.ok(one.ofTheDisk || at < most, `${at} turns: ${[...counts].join(' ')}`);
    });
  }
}

t.test('a call behind walletlock fails and uses up no keys', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-race-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const here = await world(dir);
  const before = await stateOf(here);
  const first = here.call('sendtoaddress', OUTSIDE, 1);
  const locking = here.call('walletlock');
  // The second call must run only when the wallet is locked, however long locking waits.
  const second = t.rejects(here.call('sendtoaddress', OUTSIDE, 1), { code: -13, message: LOCKED });
  t.match(await first, TXID);
  await locking;
  const between = await stateOf(here);
  t.not(between, before);
  await second;
  t.equal(await stateOf(here), between, 'nothing was used up');
});

/** Makes a wallet that is locked and can be unlocked with a passphrase. */
async function lockedWorld(t: Test): Promise<World> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-race-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const here = await world(dir);
  here.wallet.encryption.masterKeys.push(await sealMasterKey(masterKey(), Buffer.from('open')));
  here.wallet.encryption.lock();
  return here;
}

t.test('walletlock during walletpassphrase leaves the wallet locked', async (t) => {
  const { wallet, call } = await lockedWorld(t);
  const unlocking = call('walletpassphrase', 'open', 1000);
  const locking = call('walletlock');
  await Promise.all([unlocking, locking]);
  t.ok(wallet.vault.locked);
  t.equal(wallet.encryption.unlockedUntil, 0);
});

t.test('a timeout during a second walletpassphrase leaves the wallet unlocked', async (t) => {
  const { wallet, call } = await lockedWorld(t);
  await call('walletpassphrase', 'open', 1000);
  const unlocking = call('walletpassphrase', 'open', 2000);
  wallet.encryption.lock();
  t.notOk(wallet.vault.locked, 'the lock waits for the second unlocking');
  await unlocking;
  t.notOk(wallet.vault.locked);
  t.equal(wallet.encryption.unlockedUntil, 1_600_002_000);
});

t.test('walletpassphrase with timeout 0 does not end a longer unlocking that started later', async (t) => {
  const { wallet, call } = await lockedWorld(t);
  const first = call('walletpassphrase', 'open', 0);
  const unlock = wallet.encryption.unlock.bind(wallet.encryption);
  const unlocked = new Promise<void>((resolve) => {
    wallet.encryption.unlock = (key, seconds) => {
      unlock(key, seconds);
      if (seconds === 1000) resolve();
    };
  });
  const looked = wallet.reassessor.whenIdle.bind(wallet.reassessor);
  wallet.reassessor.whenIdle = async () => {
    wallet.reassessor.whenIdle = looked;
    await unlocked;
  };
  const opened = async (): Promise<void> => {
    while (wallet.vault.locked) await turn();
  };
  await opened();
  await Promise.all([first, call('walletpassphrase', 'open', 1000)]);
  t.notOk(wallet.vault.locked);
  t.equal(wallet.encryption.unlockedUntil, 1_600_001_000);
});

t.test('runs calls together, exclusive work alone, and changes outside exclusive work', async (t) => {
  const events: string[] = [];
  const lock = new WalletLock();
  const say = (what: string) => async (): Promise<void> => {
    events.push(what);
    await turn();
    events.push(`${what} ends`);
  };
  const first = lock.runCall(say('first'));
  const beside = lock.runCall(say('beside'));
  const taken = lock.runExclusive(say('exclusive'));
  const later = lock.runCall(say('later'));
  lock.runChange(() => events.push('change'));
  t.same(events.splice(0), ['first', 'beside', 'change'], 'calls share the lock, and changes wait only for exclusive work');
  await Promise.all([first, beside]);
  t.same(
    events.splice(0),
    ['first ends', 'beside ends', 'exclusive'],
    'exclusive work waits for running calls, and later calls wait for it',
  );
  t.ok(lock.isExclusive);
  const changed = lock.runChange(() => events.push('a change that waited'));
  const failed = t.rejects(async () =>
    lock.runChange(() => {
      throw new Error('no');
    }),
  );
  await Promise.all([taken, later, changed, failed]);
  t.same(events.splice(0), ['exclusive ends', 'a change that waited', 'later', 'later ends']);
  await t.rejects(async () => lock.runExclusive(() => Promise.reject(new Error('no'))), { message: 'no' });
  t.throws(
    () =>
      lock.runCall(() => {
        throw new Error('no');
      }),
    { message: 'no' },
  );
  t.equal(
    lock.runExclusive(() => 7),
    7,
    'a failure lets go, and nothing waits without need',
  );
  // A change that waits for exclusive work to end must not delay other exclusive work that waits behind it.
  const both = [lock.runExclusive(say('a')), lock.runExclusive(say('b')), lock.runChange(() => events.push('between'))];
  await Promise.all(both);
  t.same(events, ['a', 'a ends', 'between', 'b', 'b ends']);
});

// Signing on pool threads: the same bytes as on the node thread for every kind of input and sighash type, and no
// private key left over.
import t from 'tap';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import { joinScript, plainPush, pushNumber, scriptHashScript, witnessProgramScript } from '../../../src/consensus/script/build-script.js';
import { OP } from '../../../src/consensus/script/opcodes.js';
import { publicKeyHashScript } from '../../../src/consensus/script/templates.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { createSignRunner, readSignResult } from '../../../src/jobs/sign.js';
import { workClock } from '../../../src/lib/work-clock.js';
import { WorkPool } from '../../../src/parallel/pool.js';
import { PooledSigner } from '../../../src/parallel/pooled-signer.js';
import { signTransaction, withInputs } from '../../../src/signing/sign-transaction.js';
import { FlatProvider } from '../../../src/signing/signing-provider.js';
import { hex } from '../../framework/hex.js';
import { signingPool } from '../../framework/signing-pool.js';

// Turns are counted here: no slice ends by itself, however slow the machine.
workClock.now = () => 0;

const crypto = createNativeCrypto();
const keyMath = createKeyMath();
const signer = createSigner();
const EMPTY = new Uint8Array(0);
const secretOf = (n: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => (n * 7 + i * 13) % 251);
const publicOf = (n: number): Uint8Array => keyMath.publicKey(secretOf(n), true) as Uint8Array;

/** The first kind of those in `fixture` that take more than one signature or are no key's alone. */
const MULTISIG = 2;

/** Six kinds of outputs in turn, each with a key of its own. @param kind the first one's */
function fixture(count: number, kind = 0): { tx: TxView; spent: { value: number; script: Uint8Array }[]; keys: FlatProvider } {
  const keys = new FlatProvider();
  const addScript = (script: Uint8Array): Uint8Array => {
    keys.scripts.set(hashKey(crypto.hash160(script)), script);
    return script;
  };
  const scripts = Array.from({ length: count }, (_, i) => {
    const n = i + 1;
    const key = publicOf(n);
    const id = crypto.hash160(key);
    keys.publicKeys.set(hashKey(id), key);
    keys.secrets.set(hashKey(id), secretOf(n));
    const multi = joinScript(pushNumber(1), plainPush(key), plainPush(publicOf(n + 1)), pushNumber(2), OP.OP_CHECKMULTISIG);
    switch ((i + kind) % 6) {
      case 0:
        return publicKeyHashScript(id);
      case 1:
        return scriptHashScript(crypto.hash160(addScript(witnessProgramScript(0, id))));
      case 2:
        return witnessProgramScript(0, crypto.sha256(addScript(multi)));
      case 3: {
        const script = witnessProgramScript(1, key.subarray(1));
        return script;
      }
      case 4:
        return joinScript(plainPush(key), OP.OP_CHECKSIG);
      default:
        return witnessProgramScript(0, id);
    }
  });
  const spent = scripts.map((script, i) => ({ value: 1000 + i, script }));
  const inputs = spent.map((_, i) => ({ prevHash: new Uint8Array(32).fill(3), prevIndex: i, scriptSig: EMPTY, sequence: 0xfffffffd }));
  const outputs = spent.map(({ script }) => ({ value: 900, script }));
  return { tx: parseTx(buildTx({ version: 2, inputs, outputs, locktime: 0 }), crypto), spent, keys };
}

t.test('the same bytes by every route', async (t) => {
  const pool = new WorkPool({ threads: 2 });
  t.teardown(() => pool.close());
  await pool.start();
  const threads = new PooledSigner({ pool, crypto, signer });
  const { tx, spent, keys } = fixture(60);
  for (const hashType of [0, 1, 2, 3, 0x81, 0x82, 0x83]) {
    const here = await signTransaction(tx, spent, keys, hashType, { crypto, signer });
    const there = await signTransaction(tx, spent, keys, hashType, { crypto, signer, signingThreads: threads });
    t.equal(hex(withInputs(tx, there)), hex(withInputs(tx, here)), `type ${hashType}`);
    t.same(
      there.map(({ error }) => error),
      here.map(({ error }) => error),
    );
    t.ok(there.every(({ error }) => error === null));
  }
  const signed = parseTx(withInputs(tx, await signTransaction(tx, spent, keys, 1, { crypto, signer })), crypto);
  const half = spent.map((output, i) => (i % 7 === 3 ? null : output));
  for (const [what, version, outputs, provider] of [
    ['signed before', signed, spent, new FlatProvider()],
    ['no keys', tx, spent, new FlatProvider()],
    ['outputs that are not known', tx, half, keys],
  ] as const) {
    const here = await signTransaction(version, outputs, provider, 1, { crypto, signer });
    const there = await signTransaction(version, outputs, provider, 1, { crypto, signer, signingThreads: threads });
    t.same(there, here, what);
  }
});

t.test('private keys are in the slab alone, and gone afterwards', async (t) => {
  const { tx, spent, keys } = fixture(60);
  const run = createSignRunner(crypto, createSigner);
  const slabs = new Set<SharedArrayBuffer>();
  const secrets = [...keys.secrets.values()].map((secret) => hex(secret));
  const holds = (bytes: Uint8Array): boolean => {
    const text = hex(bytes);
    return secrets.some((secret) => text.includes(secret));
  };
  let before = 0;
  let failing = false;
  const pool = signingPool(2, async (job, name) => {
    t.equal(name, 'sign');
    if (holds(new Uint8Array(job.slab))) before++;
    slabs.add(job.slab);
    t.same(Object.keys(job).sort(), ['end', 'first', 'slab', 'subject', 'version'], 'numbers and slabs cross, nothing else');
    t.notOk(job.subject && holds(new Uint8Array(job.subject)), 'what parts share is not secret');
    await Promise.resolve();
    if (failing) throw new Error('a thread died');
    const result = run(job);
    t.notOk(holds(result.inputs));
    return result;
  });
  const signingThreads = new PooledSigner({ pool, crypto, signer });
  await signTransaction(tx, spent, keys, 1, { crypto, signer, signingThreads });
  t.ok(before > 1, 'it was looked at rightly');
  t.notOk(
    [...slabs].some((slab) => holds(new Uint8Array(slab))),
    'wiped after the last part',
  );
  const [used] = slabs;
  t.throws(
    () => run({ version: 3, slab: used, subject: null, first: 0, end: 0 }),
    /wiped/,
    'a part that comes late is told, and signs nothing',
  );
  failing = true;
  slabs.clear();
  await t.rejects(signTransaction(tx, spent, keys, 1, { crypto, signer, signingThreads }), /a thread died/);
  t.ok(slabs.size > 0);
  t.notOk(
    [...slabs].some((slab) => holds(new Uint8Array(slab))),
    'and after a failure',
  );
  t.ok(
    keys.secrets.size === 60 && [...keys.secrets.values()].every((secret) => secret.some((byte) => byte !== 0)),
    "the caller's keys stay",
  );
});

t.test('small transactions share a trip; with a full queue they are signed where they are', async (t) => {
  const keysAndTx = fixture(8, MULTISIG);
  const { spent, keys } = keysAndTx;
  const pool = new WorkPool({ threads: 1 });
  t.teardown(() => pool.close());
  await pool.start();
  const posted = pool.posted.transaction;
  const signingThreads = new PooledSigner({ pool, crypto, signer });
  const one = (locktime: number): TxView => {
    const inputs = [0, 1].map((i) => ({
      prevHash: new Uint8Array(32).fill(3),
      prevIndex: i,
      scriptSig: EMPTY,
      sequence: 0xfffffffd,
    }));
    return parseTx(buildTx({ version: 2, inputs, outputs: [{ value: 900, script: spent[0].script }], locktime }), crypto);
  };
  const txs = Array.from({ length: 30 }, (_, i) => one(i));
  const outputs = spent.slice(0, 2);
  const there = await Promise.all(txs.map((tx) => signTransaction(tx, outputs, keys, 1, { crypto, signer, signingThreads })));
  for (const [i, tx] of txs.entries()) t.same(there[i], await signTransaction(tx, outputs, keys, 1, { crypto, signer }), `number ${i}`);
  t.ok(pool.posted.transaction - posted < 20, `${pool.posted.transaction - posted} jobs for 30 transactions`);
  const full = { size: 1, canAcceptWork: () => false, run: () => Promise.reject(new Error()) };
  t.equal(new PooledSigner({ pool: full, crypto, signer }).sign(one(1), outputs, keys, 1), null);
});

t.test('each thread has two bundles at a time, and what comes meanwhile leaves with the next', async (t) => {
  const { tx, spent, keys } = fixture(2, MULTISIG);
  const run = createSignRunner(crypto, createSigner);
  const held: (() => void)[] = [];
  const sizes: number[] = [];
  const pool = signingPool(1, async (job) => {
    const result = run(job);
    sizes.push(readSignResult(result).length / 2);
    await new Promise<void>((resolve) => held.push(resolve));
    return result;
  });
  const signingThreads = new PooledSigner({ pool, crypto, signer });
  const here = await signTransaction(tx, spent, keys, 1, { crypto, signer });
  const sign = (): Promise<unknown> => signTransaction(tx, spent, keys, 1, { crypto, signer, signingThreads });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const first = [sign()];
  await turn();
  first.push(sign(), sign());
  await turn();
  t.same(sizes, [1, 2], 'all of a turn goes to the place that is free');
  const later = Array.from({ length: 16 }, sign);
  await turn();
  t.equal(sizes.length, 2, 'no place is free');
  while (held.length > 0) {
    for (const resolve of held.splice(0)) resolve();
    await turn();
    await turn();
  }
  for (const reply of await Promise.all([...first, ...later])) t.same(reply, here);
  t.equal(
    sizes.reduce((sum, size) => sum + size),
    19,
  );
  t.ok(sizes.length <= 5 && Math.max(...sizes) >= 8, `bundles of ${sizes}`);
  t.ok(
    [...keys.secrets.values()].every((secret) => secret.some((byte) => byte !== 0)),
    "the caller's keys stay",
  );
});

t.test('the smallest are signed on this thread, one a turn, while others travel', async (t) => {
  const run = createSignRunner(crypto, createSigner);
  const held: (() => void)[] = [];
  const sizes: number[] = [];
  const pool = signingPool(1, async (job) => {
    const result = run(job);
    sizes.push(readSignResult(result).length);
    await new Promise<void>((resolve) => held.push(resolve));
    return result;
  });
  let here = 0;
  const signLowR = (secret: Uint8Array, message: Uint8Array): Uint8Array | null => {
    here++;
    return signer.signLowR(secret, message);
  };
  const signingThreads = new PooledSigner({ pool, crypto, signer: { ...signer, signLowR } });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const replies: Promise<unknown>[] = [];
  const expected: unknown[] = [];
  const sign = async ({ tx, spent, keys }: ReturnType<typeof fixture>): Promise<void> => {
    expected.push(await signTransaction(tx, spent, keys, 1, { crypto, signer }));
    replies.push(signTransaction(tx, spent, keys, 1, { crypto, signer, signingThreads }));
  };
  // Each of an input of a public key's hash, P2SH around a witness program, and the program itself.
  for (const kind of [0, 1, 5]) {
    await sign(fixture(1, kind));
    await turn();
  }
  t.equal(here, 3, 'alone there is no trip');
  t.same(await Promise.all(replies), expected, 'the same bytes');
  t.equal(sizes.length, 0);
  here = 0;
  for (let i = 0; i < 6; i++) await sign(fixture(1, 5));
  await turn();
  t.same([here, sizes], [1, [3, 2]], 'the others travel');
  for (let i = 0; i < 3; i++) await sign(fixture(1));
  const counts: number[] = [];
  for (let i = 0; i < 4; i++) {
    await turn();
    counts.push(here);
  }
  t.same(
    [counts, sizes],
    [
      [2, 3, 4, 4],
      [3, 2],
    ],
    'with all places taken each has its turn here',
  );
  here = 0;
  const large = fixture(1);
  const inputs = [{ prevHash: new Uint8Array(32).fill(3), prevIndex: 0, scriptSig: EMPTY, sequence: 0xfffffffd }];
  const outputs = [{ value: 1, script: new Uint8Array(60_000) }];
  const many = fixture(5);
  const one = fixture(1, 5);
  const [{ scriptSig, witness }] = await signTransaction(one.tx, one.spent, one.keys, 1, { crypto, signer });
  for (const heavier of [
    fixture(1, MULTISIG),
    fixture(1, 3),
    { ...large, tx: parseTx(buildTx({ version: 2, inputs, outputs, locktime: 0 }), crypto) },
    { ...many, spent: many.spent.map(() => many.spent[0]) },
    { ...one, tx: parseTx(withInputs(one.tx, [{ scriptSig, witness }]), crypto) },
  ]) {
    await sign(heavier);
    for (const resolve of held.splice(0)) resolve();
    for (let i = 0; i < 3; i++) await turn();
  }
  t.equal(here, 0, 'more than a moment of this thread is never taken');
  t.equal(sizes.length, 2 + 5);
  for (const resolve of held.splice(0)) resolve();
  t.same(await Promise.all(replies), expected, 'the same bytes');
});

t.test('what could not be signed on this thread is tried on another', async (t) => {
  const { tx, spent, keys } = fixture(1);
  const run = createSignRunner(crypto, createSigner);
  let jobs = 0;
  const pool = signingPool(1, async (job) => {
    jobs++;
    return run(job);
  });
  const broken = (): never => {
    throw new Error('the library is gone');
  };
  const signingThreads = new PooledSigner({ pool, crypto, signer: { ...signer, signLowR: broken } });
  const there = await signTransaction(tx, spent, keys, 1, { crypto, signer, signingThreads });
  t.same(there, await signTransaction(tx, spent, keys, 1, { crypto, signer }));
  t.equal(jobs, 1);
});

t.test('of a huge transaction so many jobs wait at a time, and no more', async (t) => {
  const script = witnessProgramScript(0, new Uint8Array(20));
  const inputs = Array.from({ length: 9000 }, (_, prevIndex) => ({
    prevHash: new Uint8Array(32).fill(3),
    prevIndex,
    scriptSig: EMPTY,
    sequence: 0xfffffffd,
  }));
  const tx = parseTx(buildTx({ version: 2, inputs, outputs: [{ value: 1, script }], locktime: 0 }), crypto);
  const held: (() => void)[] = [];
  let most = 0;
  let jobs = 0;
  const pool = signingPool(2, async (job) => {
    jobs++;
    await new Promise<void>((resolve) => held.push(resolve));
    const { first, end } = job;
    // An input without anything: code, empty script, no witness.
    return { version: 3, inputs: new Uint8Array(6 * (end - first)) };
  });
  const spent = inputs.map(() => ({ value: 1, script }));
  const results = new PooledSigner({ pool, crypto, signer }).sign(tx, spent, new FlatProvider(), 1);
  let done = false;
  results?.finally(() => {
    done = true;
  });
  for (let before = -1; !done; ) {
    // No job ends as long as new ones come.
    for (let quiet = 0; quiet < 20; quiet = jobs === before ? quiet + 1 : 0) {
      before = jobs;
      await new Promise((resolve) => setImmediate(resolve));
    }
    most = Math.max(most, held.length);
    for (const resolve of held.splice(0)) resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.equal((await results)?.length, 9000);
  t.ok(jobs > 250, `${jobs} jobs`);
  t.equal(most, 200, 'at a time');
});

t.test('a bundle whose thread died is signed one by one', async (t) => {
  const { tx, spent, keys } = fixture(3);
  const run = createSignRunner(crypto, createSigner);
  const whole: boolean[] = [];
  const pool = signingPool(2, async (job) => {
    whole.push(job.subject === null);
    await Promise.resolve();
    if (job.subject === null) throw new Error('a thread died');
    return run(job);
  });
  const signingThreads = new PooledSigner({ pool, crypto, signer });
  const there = await signTransaction(tx, spent, keys, 1, { crypto, signer, signingThreads });
  t.same(there, await signTransaction(tx, spent, keys, 1, { crypto, signer }));
  t.same(whole, [true, false]);
});

t.test('calls that share a job are signed each with what its own caller brought', async (t) => {
  const run = createSignRunner(crypto, createSigner);
  let jobs = 0;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const pool = signingPool(1, async (job) => {
    const result = run(job);
    if (jobs++ === 0) await held;
    return result;
  });
  const signingThreads = new PooledSigner({ pool, crypto, signer });
  // One of the two places of the only thread is taken, so that what comes together leaves together.
  const plain = fixture(1, MULTISIG);
  const first = signTransaction(plain.tx, plain.spent, plain.keys, 1, { crypto, signer, signingThreads });
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(jobs, 1);
  // And it is so large that no turn of this thread is spent on it.
  const large = { value: 1, script: new Uint8Array(60_000) };
  const context = { params: regtestParams(), hashes: crypto, keys: keyMath, language: 'master' as const };
  type Kind = 'scripts' | 'publicKeys' | 'taproots';
  const ALL: readonly Kind[] = ['scripts', 'publicKeys', 'taproots'];
  const NONE: readonly Kind[] = [];
  const [key1, key2] = [hex(publicOf(1)), hex(publicOf(2))];
  /** A point of unknown secret (BIP-0341). */
  const nobody = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';
  /**
   * Of two callers: the numbers of their private keys, what else of the descriptor they hold, witness items or null for
   * an input left open.
   */
  type Caller = readonly [secrets: readonly number[], kinds: readonly Kind[], items: number | null];
  const cases: readonly (readonly [descriptor: string, one: Caller, other: Caller])[] = [
    [`wpkh(${key1})`, [[1], ALL, 2], [[], NONE, null]],
    [`wpkh(${key1})`, [[], ALL, null], [[1], ALL, 2]],
    [`pkh(${key1})`, [[1], NONE, null], [[], ALL, null]],
    [`sh(wpkh(${key1}))`, [[1], ['publicKeys'], null], [[], ['scripts'], null]],
    [`wsh(multi(2,${key1},${key2}))`, [[1], ALL, null], [[2], ALL, null]],
    [`sh(multi(2,${key1},${key2}))`, [[1], ALL, null], [[2], ALL, null]],
    [`tr(${key1})`, [[1], NONE, null], [[], ALL, null]],
    [`tr(${nobody},pk(${key2}))`, [[2], NONE, null], [[], ALL, null]],
    [`tr(${key1},pk(${key2}))`, [[1], ALL, 1], [[2], ALL, 3]],
  ];
  for (const [text, ...callers] of cases) {
    const parsed = parseDescriptor(text, context);
    if ('error' in parsed) throw new Error(parsed.error);
    const expansion = parsed.descriptors[0].expand(0)!;
    const known = new FlatProvider();
    known.addExpansion(expansion, crypto);
    const spent = [{ value: 1000, script: expansion.scripts[0] }];
    const inputs = [{ prevHash: new Uint8Array(32).fill(3), prevIndex: 0, scriptSig: EMPTY, sequence: 0xfffffffd }];
    const tx = parseTx(buildTx({ version: 2, inputs, outputs: [large], locktime: 0 }), crypto);
    const providers = callers.map(([secrets, kinds]) => {
      const provider = new FlatProvider();
      for (const kind of kinds) for (const [id, value] of known[kind]) (provider[kind] as Map<string, unknown>).set(id, value);
      for (const n of secrets) provider.secrets.set(hashKey(crypto.hash160(publicOf(n))), secretOf(n));
      return provider;
    });
    const before = jobs;
    const there = await Promise.all(
      providers.map((provider) => signTransaction(tx, spent, provider, 1, { crypto, signer, signingThreads })),
    );
    t.equal(jobs - before, 1, 'both in one job');
    for (const [i, [, , items]] of callers.entries()) {
      const what = `${text}, ${i === 0 ? 'one' : 'the other'}`;
      const [{ error, witness }] = there[i];
      t.equal(error === null, items !== null, `${what}: ${error}`);
      if (items !== null) t.equal(witness.length, items, what);
      t.same(there[i], await signTransaction(tx, spent, providers[i], 1, { crypto, signer }), `${what}: as alone on the node thread`);
    }
  }
  release();
  await first;
});

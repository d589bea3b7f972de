// Tests signing on pool threads: the same bytes as on the node thread for every kind of input and sighash type, and no
// private key remains in memory.
import t from 'tap';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { joinScript, plainPush, pushNumber, scriptHashScript, witnessProgramScript } from '../../../src/consensus/script/build-script.js';
import { OP } from '../../../src/consensus/script/opcodes.js';
import { publicKeyHashScript } from '../../../src/consensus/script/templates.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { createSignRunner, type SignJob } from '../../../src/jobs/sign.js';
import { workClock } from '../../../src/lib/work-clock.js';
import { WorkPool } from '../../../src/parallel/pool.js';
import { PooledSigner } from '../../../src/parallel/pooled-signer.js';
import { signTransaction, withInputs } from '../../../src/signing/sign-transaction.js';
import { FlatProvider } from '../../../src/signing/signing-provider.js';
import { hex } from '../../framework/hex.js';
import { signingPool } from '../../framework/signing-pool.js';

// These tests count event-loop ticks, so the clock stands still and no slice ends because of the time.
workClock.now = () => 0;

const crypto = createNativeCrypto();
const keyMath = createKeyMath();
const signer = createSigner();
const EMPTY = new Uint8Array(0);
const secretOf = (n: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => (n * 7 + i * 13) % 251);
const publicOf = (n: number): Uint8Array => keyMath.publicKey(secretOf(n), true) as Uint8Array;

/** The kind of output in `fixture` that is a witness program of a key. */
const WITNESS = 5;

/** Makes outputs of six kinds in rotation, each with its own key. @param kind kind of the first output */
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

t.test('signs the same bytes inline and on threads', async (t) => {
  const pool = new WorkPool({ threads: 2 });
  t.teardown(() => pool.close());
  await pool.start();
  const threads = new PooledSigner({ pool, crypto, hereUs: 0 });
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

t.test('signs outputs that name one key and outputs that name its hash', async (t) => {
  const pool = new WorkPool({ threads: 2 });
  t.teardown(() => pool.close());
  await pool.start();
  const threads = new PooledSigner({ pool, crypto, hereUs: 0 });
  for (const kind of [2, 3, 4]) {
    const { spent, keys } = fixture(1, kind);
    const id = crypto.hash160(publicOf(1));
    for (const script of [publicKeyHashScript(id), witnessProgramScript(0, id)]) {
      const outputs = [spent[0], { value: 1000, script }];
      const inputs = outputs.map((_, i) => ({ prevHash: new Uint8Array(32).fill(3), prevIndex: i, scriptSig: EMPTY, sequence: 0 }));
      const tx = parseTx(buildTx({ version: 2, inputs, outputs, locktime: 0 }), crypto);
      const signed = await signTransaction(tx, outputs, keys, 1, { crypto, signer, signingThreads: threads });
      t.same(
        signed.map(({ error }) => error),
        [null, null],
        `kind ${kind}`,
      );
    }
  }
});

t.test('puts private keys into the slab only, and erases them after signing', async (t) => {
  const { tx, spent, keys } = fixture(60);
  const run = createSignRunner(crypto, createSigner);
  const slabs = new Set<SharedArrayBuffer>();
  const subjects = new Set<SharedArrayBuffer>();
  const secrets = [...keys.secrets.values()].map((secret) => hex(secret));
  const holds = (bytes: Uint8Array): boolean => {
    const text = hex(bytes);
    return secrets.some((secret) => text.includes(secret));
  };
  let before = 0;
  let failing = false;
  const pool = signingPool(2, async (job, name) => {
    t.equal(name, 'sign');
    t.same(Object.keys(job).sort(), ['parts', 'version']);
    const [part, ...others] = job.parts;
    t.same(others, []);
    if (holds(new Uint8Array(part.slab))) before++;
    slabs.add(part.slab);
    t.same(Object.keys(part).sort(), ['end', 'first', 'slab', 'subject'], 'numbers and slabs cross, nothing else');
    subjects.add(part.subject);
    t.notOk(holds(new Uint8Array(part.subject)), 'what parts share is not secret');
    await Promise.resolve();
    if (failing) throw new Error('a thread died');
    const result = run(job);
    t.notOk(result.parts.some(holds));
    return result;
  });
  const signingThreads = new PooledSigner({ pool, crypto, hereUs: 0 });
  await signTransaction(tx, spent, keys, 1, { crypto, signer, signingThreads });
  t.ok(before > 1, 'it was looked at rightly');
  t.notOk(
    [...slabs].some((slab) => holds(new Uint8Array(slab))),
    'wiped after the last part',
  );
  const [[used], [subject]] = [slabs, subjects];
  const late = { version: 5, parts: [{ slab: used, subject, first: 0, end: 0 }] } as const;
  t.throws(() => run(late), /wiped/, 'a late part is rejected and signs nothing');
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

/** Makes a signer that counts the signatures made on this thread. */
function countingSigner(): { signer: typeof signer; count: () => number } {
  let here = 0;
  const signLowR = (secret: Uint8Array, message: Uint8Array): Uint8Array | null => {
    here++;
    return signer.signLowR(secret, message);
  };
  return { signer: { ...signer, signLowR }, count: () => here };
}

t.test('signs small transactions inline, one per tick', async (t) => {
  let jobs = 0;
  const run = createSignRunner(crypto, createSigner);
  const pool = signingPool(1, (job) => {
    jobs++;
    return run(job);
  });
  const signingThreads = new PooledSigner({ pool, crypto, hereUs: 500 });
  const goes = async ({ tx, spent, keys }: ReturnType<typeof fixture>, threads = signingThreads): Promise<boolean> =>
    (await threads.sign(tx, spent, keys, 1)) !== null;
  const legacy = fixture(1);
  const inputs = [{ prevHash: new Uint8Array(32).fill(3), prevIndex: 0, scriptSig: EMPTY, sequence: 0xfffffffd }];
  const outputs = [{ value: 1, script: new Uint8Array(120_000) }];
  const large = { ...legacy, tx: parseTx(buildTx({ version: 2, inputs, outputs, locktime: 0 }), crypto) };
  const asked = [fixture(4, WITNESS), fixture(5, WITNESS), legacy, large];
  t.same(await Promise.all(asked.map((one) => goes(one))), [false, true, false, true]);
  const full = { size: 1, canAcceptWork: () => false, run: () => Promise.reject(new Error()) };
  t.equal(await goes(fixture(60), new PooledSigner({ pool: full, crypto, hereUs: 0 })), false, 'and when too much waits there');
  jobs = 0;
  const counting = countingSigner();
  const { tx, spent, keys } = fixture(1, WITNESS);
  const replies = Array.from({ length: 3 }, () => signTransaction(tx, spent, keys, 1, { crypto, signer: counting.signer, signingThreads }));
  const counts: number[] = [];
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    counts.push(counting.count());
  }
  t.same(counts, [1, 2, 3, 3]);
  for (const reply of await Promise.all(replies)) t.equal(reply[0].error, null);
  t.equal(jobs, 0);
});

t.test('signs half of many small transactions on another thread, each with its own keys only', async (t) => {
  const run = createSignRunner(crypto, createSigner);
  const slabs: SharedArrayBuffer[] = [];
  const sizes: number[] = [];
  const pool = signingPool(2, async (job) => {
    sizes.push(job.parts.length);
    await Promise.resolve();
    slabs.push(...job.parts.map(({ slab }) => slab));
    return run(job);
  });
  const signingThreads = new PooledSigner({ pool, crypto, hereUs: 500 });
  const counting = countingSigner();
  // Inputs spend outputs of two wallets alternately, and each caller has only the keys of one wallet.
  const { tx, spent, keys } = fixture(2, WITNESS);
  const providers = [...keys.publicKeys].map(([id, key]) => {
    const one = new FlatProvider();
    one.publicKeys.set(id, key);
    one.secrets.set(id, keys.secrets.get(id) as Uint8Array);
    return one;
  });
  const tools = { crypto, signer: counting.signer, signingThreads };
  const asked = Array.from({ length: 8 }, (_, i) => ({ provider: providers[i % 2], hashType: i < 4 ? 1 : 0x81 }));
  const made = await Promise.all(asked.map(({ provider, hashType }) => signTransaction(tx, spent, provider, hashType, tools)));
  t.same(sizes, [4]);
  t.equal(counting.count(), 4);
  for (const [i, { provider, hashType }] of asked.entries()) {
    t.same(made[i], await signTransaction(tx, spent, provider, hashType, { crypto, signer }), `caller ${i}`);
    t.same(
      made[i].map(({ error }) => error === null),
      [i % 2 === 0, i % 2 === 1],
    );
  }
  const secrets = [...keys.secrets.values()].map(hex);
  t.ok(slabs.length === 4 && slabs.every((slab) => !secrets.some((secret) => hex(new Uint8Array(slab)).includes(secret))), 'wiped');
});

t.test('signs the other transactions when one cannot be prepared', async (t) => {
  const pool = signingPool(1, createSignRunner(crypto, createSigner));
  const signingThreads = new PooledSigner({ pool, crypto, hereUs: 500 });
  const { tx, spent, keys } = fixture(1, WITNESS);
  const broken = new FlatProvider();
  broken.publicKey = () => {
    throw new Error('the key is damaged');
  };
  const asked = Array.from({ length: 8 }, (_, i) =>
    signTransaction(tx, spent, i === 3 ? broken : keys, 1, { crypto, signer, signingThreads }),
  );
  const made = await Promise.allSettled(asked);
  t.same(
    made.map(({ status }) => status),
    made.map((_, i) => (i === 3 ? 'rejected' : 'fulfilled')),
  );
});

t.test('does not mix up the transactions of two callers on one thread', async (t) => {
  const pool = signingPool(2, createSignRunner(crypto, createSigner));
  for (const kind of [WITNESS, 0]) {
    const { tx, spent, keys } = fixture(1, kind);
    const signingThreads = new PooledSigner({ pool, crypto, hereUs: 0 });
    const there = await signTransaction(tx, spent, keys, 1, { crypto, signer, signingThreads });
    t.same(there, await signTransaction(tx, spent, keys, 1, { crypto, signer }));
  }
});

t.test('limits the waiting jobs of a huge transaction to 200', async (t) => {
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
    const [{ first, end }] = job.parts;
    // An input for which nothing was signed: code, empty script, no witness.
    return { version: 5, parts: [new Uint8Array(6 * (end - first))] };
  });
  const spent = inputs.map(() => ({ value: 1, script }));
  const results = new PooledSigner({ pool, crypto, hereUs: 0 }).sign(tx, spent, new FlatProvider(), 1);
  let done = false;
  results.finally(() => {
    done = true;
  });
  for (let before = -1; !done; ) {
    // Hold all jobs as long as new ones arrive.
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

t.test('rejects a part with fewer or more inputs than it should have', async (t) => {
  const { tx, spent, keys } = fixture(60);
  const run = createSignRunner(crypto, createSigner);
  for (const change of [-1, 1]) {
    let parts = 0;
    const wrong = ({ version, parts }: SignJob): SignJob => ({
      version,
      parts: parts.map((part) => ({ ...part, end: part.end + change })),
    });
    const pool = signingPool(2, async (job) => run(++parts === 2 ? wrong(job) : job));
    const signingThreads = new PooledSigner({ pool, crypto, hereUs: 0 });
    await t.rejects(signTransaction(tx, spent, keys, 1, { crypto, signer, signingThreads }), /parts/);
    t.ok(parts >= 2);
  }
});

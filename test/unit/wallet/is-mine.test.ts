// Compares isMine with a naive model, which knows how each script is composed and applies Core 0.21's rules to this
// composition. The wallets have random private keys, watched keys, scripts and watched scripts; the model checks every
// script that can be made of the same keys.

import t from 'tap';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { Vault } from '../../../src/wallet/crypt/vault.js';
import { LegacyKeys } from '../../../src/wallet/keys/legacy-keys.js';
import { WalletBatch } from '../../../src/wallet/storage/wallet-batch.js';
import { WalletRecord } from '../../../src/wallet/wallet-record.js';
import { fc } from '../../framework/fast-check.js';
import { hex } from '../../framework/hex.js';
import { createMemoryWallet } from '../../framework/memory-wallet.js';

const crypto = createNativeCrypto();
const math = createKeyMath();
const context = { params: chainParams('regtest'), hashes: crypto, keys: math, language: '0.21' } as const;

interface Key {
  secret: Uint8Array;
  publicKey: Uint8Array;
}
const keys: Key[] = Array.from({ length: 5 }, (_, i) => {
  const secret = new Uint8Array(32).fill(i + 1);
  return { secret, publicKey: math.publicKey(secret, i !== 4)! };
});

/** The composition of a script. Keys are given by number; key 4 is uncompressed. */
type Tree =
  | { kind: 'pk' | 'pkh' | 'wpkh'; key: number }
  | { kind: 'multi'; keys: number[] }
  | { kind: 'sh' | 'wsh'; inner: Tree }
  | { kind: 'data' };

const push = (bytes: Uint8Array): string => Buffer.from([bytes.length]).toString('hex') + hex(bytes);
const idOf = (key: number): Uint8Array => crypto.hash160(keys[key].publicKey);

/** Returns the bytes of a script in hex. The function does not use the code under test. */
function bytesOf(tree: Tree): string {
  switch (tree.kind) {
    case 'pk':
      return `${push(keys[tree.key].publicKey)}ac`;
    case 'pkh':
      return `76a9${push(idOf(tree.key))}88ac`;
    case 'wpkh':
      return `00${push(idOf(tree.key))}`;
    case 'multi':
      return `51${tree.keys.map((key) => push(keys[key].publicKey)).join('')}${(0x50 + tree.keys.length).toString(16)}ae`;
    case 'sh':
      return `a9${push(crypto.hash160(Buffer.from(bytesOf(tree.inner), 'hex')))}87`;
    case 'wsh':
      return `00${push(crypto.sha256(Buffer.from(bytesOf(tree.inner), 'hex')))}`;
    case 'data':
      return '6a0101';
  }
}
const scriptOf = (tree: Tree): Uint8Array => new Uint8Array(Buffer.from(bytesOf(tree), 'hex'));

/** The model of a wallet: sets of what it has. */
interface Model {
  secrets: Set<number>;
  watchedKeys: Set<number>;
  scripts: Set<string>;
  watched: Set<string>;
}
const INVALID = 9;

function knowsScript(model: Model, tree: Tree): boolean {
  if (model.scripts.has(bytesOf(tree))) return true;
  // A compressed key that the wallet has or watches also brings its P2WPKH script.
  return tree.kind === 'wpkh' && tree.key !== 4 && (model.secrets.has(tree.key) || model.watchedKeys.has(tree.key));
}

function judge(model: Model, tree: Tree, place: 'top' | 'sh' | 'wsh'): number {
  let result = 0;
  switch (tree.kind) {
    case 'pk':
      if (place === 'wsh' && tree.key === 4) return INVALID;
      if (model.secrets.has(tree.key)) result = 2;
      break;
    case 'pkh':
      if (place === 'wsh' && tree.key === 4 && (model.secrets.has(4) || model.watchedKeys.has(4))) return INVALID;
      if (model.secrets.has(tree.key)) result = 2;
      break;
    case 'wpkh':
      if (place === 'wsh') return INVALID;
      if (place === 'top' && !knowsScript(model, tree)) break;
      result = judge(model, { kind: 'pkh', key: tree.key }, 'wsh');
      break;
    case 'multi':
      if (place === 'top') break;
      if (place === 'wsh' && tree.keys.includes(4)) return INVALID;
      if (tree.keys.every((key) => model.secrets.has(key))) result = 2;
      break;
    case 'sh':
      if (place !== 'top') return INVALID;
      if (knowsScript(model, tree.inner)) result = judge(model, tree.inner, 'sh');
      break;
    case 'wsh':
      if (place === 'wsh') return INVALID;
      if (place === 'top' && !knowsScript(model, tree)) break;
      if (knowsScript(model, tree.inner)) result = judge(model, tree.inner, 'wsh');
      break;
  }
  if (result === INVALID) return INVALID;
  return result === 0 && model.watched.has(bytesOf(tree)) ? 1 : result;
}

const keyNumber = fc.integer({ min: 0, max: 4 });
const leaf: fc.Arbitrary<Tree> = fc.oneof(
  fc.record({ kind: fc.constantFrom('pk' as const, 'pkh' as const, 'wpkh' as const), key: keyNumber }),
  fc.record({ kind: fc.constant('multi' as const), keys: fc.array(keyNumber, { minLength: 1, maxLength: 3 }) }),
  fc.constant({ kind: 'data' as const }),
);
const wrap = (inner: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> =>
  fc.oneof(inner, fc.record({ kind: fc.constantFrom('sh' as const, 'wsh' as const), inner }));
const tree = wrap(wrap(leaf));

type Step = { do: 'secret' | 'watchKey'; key: number } | { do: 'script' | 'watch'; tree: Tree };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('secret' as const, 'watchKey' as const), key: keyNumber }),
  fc.record({ do: fc.constantFrom('script' as const, 'watch' as const), tree }),
);

function newWallet(): { legacy: LegacyKeys; record: WalletRecord } {
  const record = new WalletRecord();
  const vault = new Vault(false, crypto, createKeyMath());
  return { legacy: new LegacyKeys({ record, vault, hashes: crypto, tools: context, now: () => 1000, keypoolSize: 1 }), record };
}

function apply(legacy: LegacyKeys, model: Model, entry: Step, batch: WalletBatch): void {
  if (entry.do === 'secret') {
    legacy.importSecret(new Uint8Array(keys[entry.key].secret), keys[entry.key].publicKey, 1, batch);
    if (!model.secrets.has(entry.key)) {
      model.secrets.add(entry.key);
      // When the wallet gets the private key, its key is no longer only watched.
      model.watched.delete(bytesOf({ kind: 'pk', key: entry.key }));
      model.watched.delete(bytesOf({ kind: 'pkh', key: entry.key }));
      model.watchedKeys.delete(entry.key);
    }
  } else if (entry.do === 'watchKey') {
    legacy.importPublicKey(keys[entry.key].publicKey, 1, { add: false, internal: false }, batch);
    if (!model.secrets.has(entry.key) && !model.watchedKeys.has(entry.key)) {
      model.watchedKeys.add(entry.key);
      model.watched.add(bytesOf({ kind: 'pk', key: entry.key }));
    }
  } else if ('tree' in entry && entry.do === 'script') {
    legacy.importScript(scriptOf(entry.tree), 1, batch);
    model.scripts.add(bytesOf(entry.tree));
  } else if ('tree' in entry) {
    legacy.watchScript(scriptOf(entry.tree), 1, batch);
    model.watched.add(bytesOf(entry.tree));
    if (entry.tree.kind === 'pk') model.watchedKeys.add(entry.tree.key);
  }
}

function sameAnswers(legacy: LegacyKeys, model: Model, asked: readonly Tree[]): boolean {
  return asked.every((one) => {
    const verdict = judge(model, one, 'top');
    return legacy.isMine(scriptOf(one)) === (verdict === INVALID ? 0 : verdict);
  });
}

t.test('isMine agrees with a naive model of Core 0.21 for random wallets', async (t) => {
  let spendable = 0;
  let watched = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.array(tree, { minLength: 20, maxLength: 40 }), (steps, others) => {
      const { legacy } = newWallet();
      const model: Model = { secrets: new Set(), watchedKeys: new Set(), scripts: new Set(), watched: new Set() };
      const batch = new WalletBatch();
      for (const entry of steps) apply(legacy, model, entry, batch);
      const own = steps.flatMap((entry): Tree[] =>
        'tree' in entry ? [entry.tree, { kind: 'sh', inner: entry.tree }, { kind: 'wsh', inner: entry.tree }] : [],
      );
      const asked = [...others, ...own];
      for (const one of asked) {
        const verdict = judge(model, one, 'top');
        if (verdict === 2) spendable++;
        if (verdict === 1) watched++;
      }
      if (!sameAnswers(legacy, model, asked)) return false;
      // The wallet that is loaded from these rows must give the same answers.
      const again = newWallet().legacy;
      const rows = new Map<string, { key: Uint8Array; value: Uint8Array }>();
      for (const op of batch.ops) {
        if (op.type === 'put') rows.set(hex(op.key), op);
        else rows.delete(hex(op.key));
      }
      for (const { key, value } of [...rows.values()].sort((a, b) => Buffer.compare(a.key, b.key))) {
        if (key[0] !== 'N'.charCodeAt(0)) again.loadRow(key, value);
      }
      return sameAnswers(again, model, asked);
    }),
    { numRuns: 400 },
  );
  t.ok(spendable > 100 && watched > 100, `enough of both kinds: ${spendable} spendable, ${watched} watched`);
});

t.test('counts a known witness program as watched if only its P2PKH script is watched', async (t) => {
  const { legacy } = newWallet();
  const batch = new WalletBatch();
  const asked: Tree[] = [
    { kind: 'wpkh', key: 0 },
    { kind: 'sh', inner: { kind: 'wpkh', key: 0 } },
  ];
  legacy.watchScript(scriptOf({ kind: 'pkh', key: 0 }), 1, batch);
  const answers = (): number[] => asked.map((one) => legacy.isMine(scriptOf(one)));
  t.same(answers(), [0, 0], 'the program is not known');
  legacy.importScript(scriptOf(asked[0]), 1, batch);
  t.same(answers(), [1, 1]);
});

t.test('provides signing data of a multisig if the wallet holds any of its keys', async (t) => {
  const multi: Tree = { kind: 'multi', keys: [0, 1, 2] };
  for (const held of [0, 1, 2, 3]) {
    const { legacy } = newWallet();
    const batch = new WalletBatch();
    legacy.importScript(scriptOf(multi), 1, batch);
    legacy.importSecret(new Uint8Array(keys[held].secret), keys[held].publicKey, 1, batch);
    // The wallet has the script inside, but the script of the output itself was never imported.
    t.equal(legacy.provider(scriptOf({ kind: 'wsh', inner: multi })) !== undefined, held < 3, `key ${held}`);
  }
});

t.test('a locked wallet gives the same isMine answers but no secrets', async (t) => {
  const record = new WalletRecord();
  const vault = new Vault(true, crypto, createKeyMath());
  vault.unlock(new Uint8Array(32).fill(7));
  const legacy = new LegacyKeys({ record, vault, hashes: crypto, tools: context, now: () => 1000, keypoolSize: 3 });
  const batch = new WalletBatch();
  legacy.importSecret(new Uint8Array(keys[0].secret), keys[0].publicKey, 1, batch);
  t.same(legacy.secret(idOf(0)), keys[0].secret);
  vault.lock();
  t.equal(legacy.isMine(scriptOf({ kind: 'wpkh', key: 0 })), 2);
  t.equal(legacy.secret(idOf(0)), undefined);
  t.equal(
    batch.ops.some(({ type, ...op }) => type === 'put' && hex((op as { value: Uint8Array }).value).includes(hex(keys[0].secret))),
    false,
  );
  vault.unlock(new Uint8Array(32).fill(8));
  t.equal(legacy.secret(idOf(0)), undefined, 'another master key opens nothing');
});

t.test('derives the same keys one by one as all at once', async (t) => {
  const seed = new Uint8Array(32).fill(9);
  const made: string[][] = [];
  for (const together of [true, false]) {
    const { wallet } = await createMemoryWallet();
    const keys = wallet.legacy!;
    await wallet.change((batch) => {
      keys.setSeed(seed, batch);
      keys.pool.clear(batch);
    });
    // Locking removes the key from memory from which the pool's keys are derived.
    for (let size = together ? 40 : 1; size <= 40; size++) {
      await wallet.change((batch) => keys.topUp(size, batch));
      if (size % 7 === 0) wallet.vault.lock();
    }
    made.push(keys.pool.entries().map(({ id, internal }) => `${Buffer.from(id).toString('hex')} ${internal}`));
    const kept = new Uint8Array(32).fill(1);
    const { session } = wallet.vault;
    wallet.vault.wipeOnLock(kept);
    wallet.encryption.lock();
    t.ok(kept.every((byte) => byte === 0));
    t.not(wallet.vault.session, session);
  }
  t.equal(made[0].length, 80);
  t.same(made[1], made[0]);
});

// Compares the descriptors of a wallet, which it stores as rows of columns, with descriptors stored as objects. Both
// must give the same answers after imports, repeated imports, payments, encryption, loading from rows or from an image,
// and crashes. DESCRIPTOR_RUNS and DESCRIPTOR_STEPS make the test longer; DESCRIPTOR_SEED repeats a run.

import t, { type Test } from 'tap';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import type { DescriptorContext } from '../../../src/address/descriptor/context.js';
import type { Descriptor } from '../../../src/address/descriptor/descriptor.js';
import { inferDescriptor } from '../../../src/address/descriptor/infer.js';
import { type ParsedDescriptor, parseDescriptor } from '../../../src/address/descriptor/parse.js';
import type { SecretSource } from '../../../src/address/descriptor/secrets.js';
import { hasCacheableKeys, isPlainText } from '../../../src/address/descriptor/stored-text.js';
import { encodeWif } from '../../../src/address/wif.js';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { STANDARD_SCRIPT_FLAGS } from '../../../src/consensus/script/flags.js';
import { SighashCache } from '../../../src/consensus/script/sighash.js';
import { verifyTxInput } from '../../../src/consensus/script/verify-input.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { COMPATS } from '../../../src/policy/compat.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import type { CallInfo } from '../../../src/rpc/dispatch.js';
import { listdescriptors } from '../../../src/rpc/methods/wallet/listdescriptors.js';
import { describeScript, normalText, parentText } from '../../../src/rpc/wallet/describe.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { signTransaction, withInputs } from '../../../src/signing/sign-transaction.js';
import { FlatProvider, idsOfXOnly } from '../../../src/signing/signing-provider.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp } from '../../../src/storage/store.js';
import { encodeMasterKey, sealMasterKey } from '../../../src/wallet/crypt/master-key.js';
import { sealSecret } from '../../../src/wallet/crypt/vault.js';
import { saveImage } from '../../../src/wallet/image/save-image.js';
import { DescriptorSecrets } from '../../../src/wallet/keys/descriptor-secrets.js';
import { isSolvable } from '../../../src/wallet/keys/is-mine.js';
import { OWNERSHIP } from '../../../src/wallet/keys/ownership.js';
import { loadWallet, type WalletSurroundings } from '../../../src/wallet/manage/load-wallet.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../../../src/wallet/storage/layout.js';
import { bytesOf, packRow, unpackRow } from '../../../src/wallet/storage/rows.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { clientOf } from '../../framework/chain-client.js';
import { rounds } from '../../framework/depth.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { hex } from '../../framework/hex.js';
import { MemoryImages } from '../../framework/memory-images.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { runMethod } from '../../framework/run-method.js';
import { turnsDuring } from '../../framework/turns.js';

const RUNS = Number(process.env.DESCRIPTOR_RUNS ?? rounds(1, 6));
const STEPS = Number(process.env.DESCRIPTOR_STEPS ?? 60);
const SEED = Number(process.env.DESCRIPTOR_SEED ?? 1);

const XPUB = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';
const XPRV = 'tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK';
const KEYPOOL = 5;
const context = descriptorContext('master', 'regtest');
const call: CallInfo = { user: '', path: '/' };
const secretOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const publicOf = (n: number, compressed = true): Uint8Array => context.keys.publicKey(secretOf(n), compressed) as Uint8Array;
const passphrase = Buffer.from('correct horse');
const masterKey = new Uint8Array(32).fill(5);
const sealedMaster = encodeMasterKey(await sealMasterKey(masterKey, passphrase));
const seal = (publicKey: Uint8Array, secret: Uint8Array): Uint8Array => sealSecret(masterKey, publicKey, secret, crypto);

function parse(text: string, language: DescriptorContext = context): ParsedDescriptor {
  const parsed = parseDescriptor(text, language);
  if ('error' in parsed) throw new Error(`${text}: ${parsed.error}`);
  return parsed;
}

/** The model of one descriptor. */
interface Plain {
  readonly descriptor: Descriptor;
  time: number;
  next: number;
  end: number;
  /** By hashKey of the public key's HASH160. */
  readonly secrets: Map<string, { publicKey: Uint8Array; secret: Uint8Array }>;
}

const nodeOf = (wallet: Wallet): WalletContext =>
  ({
    compat: COMPATS['0.21.1'],
    wallets: { selectWallet: () => wallet },
    client: clientOf({ tip: wallet.tip! }),
    descriptors: context,
    params: context.params,
    crypto,
  }) as unknown as WalletContext;

/** Returns all rows as they are on disk. */
async function rowsOf(wallet: Wallet): Promise<[Uint8Array, Uint8Array][]> {
  await wallet.storage.queueWrite(async () => {});
  const rows: [Uint8Array, Uint8Array][] = [];
  for await (const [key, value] of wallet.storage.store.iterate()) rows.push([key.slice(), value.slice()]);
  return rows;
}
async function storeOf(rows: readonly [Uint8Array, Uint8Array][]): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.batch(rows.map(([key, value]): BatchOp => ({ type: 'put', key, value })));
  return store;
}
const descriptorRow = (id: Uint8Array): Uint8Array => walletKey(WALLET_PREFIX.descriptor, id);

class World {
  readonly images = new MemoryImages();
  /** Descriptors by id in hex, in the order of their import. */
  readonly plain = new Map<string, Plain>();
  readonly #random: () => number;
  readonly below = (limit: number): number => Math.floor(this.#random() * limit);
  readonly chance = (share: number): boolean => this.#random() < share;
  readonly pick = <T>(list: readonly T[]): T => list[this.below(list.length)];
  readonly #surroundings: WalletSurroundings;
  readonly reloads = { rows: 0, image: 0 };

  private constructor(
    seed: number,
    public wallet: Wallet,
    surroundings: WalletSurroundings,
  ) {
    this.#random = pseudoRandom(seed);
    const log = {
      info() {},
      warn: (line: string) => {
        throw new Error(line);
      },
    };
    // Half of the wallets write a new image often, the others rarely, so that loading reads a long journal.
    const leastJournal = seed % 2 === 0 ? 0 : 5000;
    this.#surroundings = { ...surroundings, images: { files: () => this.images, leastRows: 0, leastJournal, log } };
  }
  static async create(seed: number): Promise<World> {
    const { wallet, surroundings } = await createMemoryWallet({ descriptors: true, wallet: { keypool: KEYPOOL } });
    await wallet.change((batch) => {
      batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
      wallet.record.write(batch);
    });
    return new World(seed, wallet, surroundings);
  }

  get #locked(): boolean {
    return this.wallet.vault.locked;
  }
  #key(xOnly: boolean, anySize: boolean): string {
    const n = 1 + this.below(9);
    const origin = this.chance(0.3) ? this.pick(['[d34db33f]', "[d34db33f/84'/0/5']", '[d34db33f/84h/2147483647h/0]']) : '';
    const compressed = !anySize || this.chance(0.8);
    if (!this.#locked && this.chance(0.5)) return origin + encodeWif({ key: secretOf(n), compressed }, context.params, crypto);
    const key = hex(publicOf(n, compressed));
    return origin + (xOnly && this.chance(0.7) ? key.slice(2) : key);
  }
  /** Returns a random descriptor; most of them have one key. */
  #text(): string {
    const any = (): string => this.#key(false, true);
    const compressed = (): string => this.#key(false, false);
    const xOnly = (): string => this.#key(true, false);
    const extended = (): string => (this.#locked || this.chance(0.5) ? XPUB : XPRV);
    const forms: (() => string)[] = [
      () => `pk(${any()})`,
      () => `pkh(${any()})`,
      () => `wpkh(${compressed()})`,
      () => `combo(${any()})`,
      () => `sh(wpkh(${compressed()}))`,
      () => `sh(pkh(${any()}))`,
      () => `tr(${xOnly()})`,
      () => `rawtr(${xOnly()})`,
      () => `multi(1,${any()},${any()})`,
      () => `wsh(multi(2,${compressed()},${compressed()}))`,
      () => `tr(${xOnly()},pk(${xOnly()}))`,
      () => `raw(6a01${hex(Uint8Array.of(this.below(4)))})`,
      () => `wpkh(${extended()}/0/${this.below(3)})`,
      () => `pkh(${extended()}/1/*)`,
    ];
    return this.pick(forms)();
  }

  // -- steps

  async import(): Promise<void> {
    const { secrets, descriptors } = parse(this.#text());
    const [descriptor] = descriptors;
    const time = 1 + this.below(1_000_000);
    const fresh = { descriptor, secrets: secrets.pairs(), time, rangeStart: 0, rangeEnd: descriptor.isRange ? 4 : 1, nextIndex: 0 };
    const text = descriptor.toString();
    const id = hex(crypto.sha256(Buffer.from(text)));
    const known = this.plain.get(id) ?? { descriptor: parse(text).descriptors[0], time, next: 0, end: 0, secrets: new Map() };
    known.time = time;
    known.next = 0;
    known.end = descriptor.isRange ? KEYPOOL : 1;
    for (const { publicKey, secret } of secrets.pairs()) {
      known.secrets.set(hashKey(crypto.hash160(publicKey)), { publicKey: publicKey.slice(), secret: secret.slice() });
    }
    this.plain.set(id, known);
    await this.wallet.reassessor.change((batch) => this.wallet.descriptors!.addDescriptor(fresh, batch));
    secrets.wipe();
  }
  async pay(): Promise<void> {
    const [id, { descriptor, end }] = this.pick([...this.plain]);
    const scripts = descriptor.scripts(this.below(end)) ?? [];
    const script = this.pick(scripts);
    const place = this.wallet.descriptors!.locate(script);
    if (!place) throw new Error(`a script of ${id} belongs to nobody`);
    const owner = this.plain.get(hex(place.tracked.id)) as Plain;
    if (place.index >= owner.next) owner.next = place.index + 1;
    if (owner.descriptor.isRange) owner.end = Math.max(owner.next + KEYPOOL, owner.end);
    await this.wallet.change((batch) => this.wallet.keys.markUsed(script, batch));
  }
  /** Encrypts as encryptWallet does. The new database has no image. */
  async encrypt(): Promise<void> {
    if (this.wallet.vault.encrypted) return;
    const rows = (await rowsOf(this.wallet)).filter(([key]) => key[0] !== WALLET_PREFIX.image && key[0] !== WALLET_PREFIX.journal);
    const sealed = rows.map(([key, value]): [Uint8Array, Uint8Array] => {
      if (key[0] !== WALLET_PREFIX.descriptorKey) return [key, value];
      const [publicKey, secret] = unpackRow(value);
      return [key, packRow([publicKey, seal(bytesOf(publicKey), bytesOf(secret))])];
    });
    sealed.push([walletKey(WALLET_PREFIX.masterKey, 1), sealedMaster]);
    this.wallet.storage.images?.detachImage();
    this.wallet.storage.replaceStore(await storeOf(sealed));
    this.wallet.descriptors!.sealAllSecrets(seal)();
    this.wallet.vault.unlock(masterKey.slice());
  }
  async lock(): Promise<void> {
    if (this.wallet.vault.locked) this.wallet.vault.unlock(masterKey.slice());
    else if (this.wallet.vault.encrypted) this.wallet.encryption.lock();
  }
  /**
   * @param how crash: the process ends without saving; unload: an image is written if one is due; backup: the rows are
   * loaded without their image
   */
  async reload(how: 'crash' | 'unload' | 'backup'): Promise<void> {
    const { wallet } = this;
    if (how === 'unload') await saveImage(wallet);
    const rows = await rowsOf(wallet);
    await wallet.close();
    for (const tracked of wallet.descriptors!.all()) {
      if (tracked.hasSecrets) throw new Error('a closed wallet has secrets');
    }
    if (how === 'backup') await this.images.deleteAllExcept(null);
    const loaded = await loadWallet(this.#surroundings, { name: 'w', folder: '' }, await storeOf(rows));
    this.wallet = loaded.wallet;
    // An image that cannot be used is discarded.
    this.reloads[(await this.wallet.storage.store.get(walletKey(WALLET_PREFIX.image))) ? 'image' : 'rows']++;
    this.wallet.position.moveTo(wallet.tip!);
    this.wallet.ledger.isClassified = true;
  }

  // -- checks

  async check(t: Test, when: string): Promise<void> {
    const wrong = [...(await this.#wrongLists()), ...this.#wrongDescriptors(), ...(await this.#wrongRows())];
    t.same(wrong.slice(0, 3), [], when);
  }
  async #wrongLists(): Promise<string[]> {
    const wrong: string[] = [];
    for (const priv of this.#locked ? [false] : [false, true]) {
      const expected = [...this.plain.values()].map(({ descriptor, time, next, end, secrets }) => {
        const source = sourceOf(secrets);
        const desc = priv ? descriptor.privateText(source, true) : descriptor.normalizedText(this.#locked ? {} : { secrets: source });
        const range = descriptor.isRange ? { range: [0, end - 1], next, next_index: next } : {};
        return { desc: desc ?? descriptor.toString(), timestamp: time, active: false, ...range };
      });
      expected.sort((a, b) => (a.desc < b.desc ? -1 : 1));
      const answer = encodeJson(await runMethod(listdescriptors, nodeOf(this.wallet), [priv], call));
      const listed = JSON.parse(Buffer.from(answer).toString()).descriptors as { active: boolean }[];
      // The descriptors that the wallet made itself are active.
      if (listed.filter(({ active }) => active).length !== 6) wrong.push('own descriptors');
      const others = listed.filter(({ active }) => !active);
      if (JSON.stringify(others) !== JSON.stringify(expected)) {
        wrong.push(`${JSON.stringify(others, null, 1)} instead of ${JSON.stringify(expected, null, 1)}`);
      }
    }
    return wrong;
  }
  #wrongDescriptors(): string[] {
    const wrong: string[] = [];
    const keys = this.wallet.descriptors!;
    if (keys.count !== this.plain.size + 6 || [...keys.all()].length !== keys.count) wrong.push(`${keys.count} descriptors`);
    for (const [id, plain] of this.plain) {
      const say = (what: string): unknown => wrong.push(`${what} of ${plain.descriptor.toString()}`);
      const tracked = keys.find(Buffer.from(id, 'hex'));
      if (!tracked || hex(tracked.id) !== id || tracked.descriptor.toString() !== plain.descriptor.toString()) return [`no ${id}`];
      if (tracked.time !== plain.time || tracked.nextIndex !== plain.next || tracked.rangeEnd !== plain.end) say('figures');
      if (tracked.expanded !== plain.end - 1) say('what is expanded');
      if (tracked.hasSecrets !== plain.secrets.size > 0) say('secrets');
      for (const { publicKey, secret } of plain.secrets.values()) {
        const held = tracked.secret(crypto.hash160(publicKey));
        if ((held && hex(held)) !== (this.#locked ? undefined : hex(secret))) say('a secret');
      }
      if (tracked.secret(crypto.hash160(publicOf(200))) !== undefined) say('a secret that it has not');
      for (let index = 0; index < plain.end; index++) {
        for (const script of plain.descriptor.scripts(index) ?? []) wrong.push(...this.#wrongScript(script));
      }
      // The script after the range must not belong to this descriptor; it may belong to another one.
      for (const script of (plain.descriptor.isRange && plain.descriptor.scripts(plain.end)) || []) {
        if (keys.locate(script)?.tracked.number === tracked.number) say('a script too many');
      }
    }
    const foreign = plainScriptOf(publicOf(201));
    if (keys.isMine(foreign) !== OWNERSHIP.NO || keys.locate(foreign) || keys.provider(foreign)) wrong.push('a stranger');
    return wrong;
  }
  /** Checks a script that a descriptor gives. The wallet may attribute it to any descriptor that gives it. */
  #wrongScript(script: Uint8Array): string[] {
    const keys = this.wallet.descriptors!;
    const place = keys.locate(script);
    const plain = place && this.plain.get(hex(place.tracked.id));
    const provider = keys.provider(script);
    if (keys.isMine(script) !== OWNERSHIP.SPENDABLE || !plain || !provider) return [`${hex(script)} is nobody's`];
    const { descriptor, secrets, time } = plain;
    const { index } = place;
    const wrong: string[] = [];
    const say = (what: string): unknown => wrong.push(`${what} of ${hex(script)}, ${descriptor.toString()}, ${index}`);
    const expansion = descriptor.expand(index)!;
    if (!expansion.scripts.some((one) => hex(one) === hex(script))) say('the descriptor');
    const flat = new FlatProvider();
    flat.addExpansion(expansion, crypto);
    const { outputType } = descriptor;
    const inferred = inferDescriptor(script, flat, context);
    const isNotified = context.language === 'master' ? inferred.isSolvable : isSolvable(script, flat, crypto);
    if (describeScript(nodeOf(this.wallet), script, provider) !== (isNotified ? inferred.toString() : null)) say('the text');
    for (const [id, inner] of flat.scripts) if (hex(provider.script(bytesOfKey(id)) ?? EMPTY) !== hex(inner)) say('an inner script');
    for (const [id, key] of flat.publicKeys) if (hex(provider.publicKey(bytesOfKey(id)) ?? EMPTY) !== hex(key)) say('a public key');
    const pairs = this.#locked ? [] : descriptor.secretsAt(index, sourceOf(secrets));
    const from = outputType === 'bech32m' ? 1 : 0;
    for (const { publicKey } of expansion.keys) {
      const pair = pairs.find((one) => hex(one.publicKey.subarray(from)) === hex(publicKey.subarray(from)));
      const origin = flat.origin(crypto.hash160(publicKey));
      for (const id of outputType === 'bech32m' ? idsOfXOnly(publicKey.subarray(1), crypto) : [crypto.hash160(publicKey)]) {
        if (JSON.stringify(provider.origin(id)) !== JSON.stringify(origin)) say('an origin');
        if (provider.hasSecret(id) !== secrets.size > 0) say('having secrets');
        if (hex(provider.secret(id) ?? EMPTY) !== hex(pair?.secret ?? EMPTY)) say('a secret');
      }
    }
    const metadata = keys.metadata(script);
    if (metadata && metadata.time !== time) say('the time');
    return wrong;
  }
  /** Checks that rows have the format that earlier versions read. */
  async #wrongRows(): Promise<string[]> {
    const wrong: string[] = [];
    const rows = new Map((await rowsOf(this.wallet)).map(([key, value]) => [hex(key), value]));
    for (const [id, { descriptor, time, next, end, secrets }] of this.plain) {
      const fields = unpackRow(rows.get(hex(descriptorRow(Buffer.from(id, 'hex')))) ?? packRow([]));
      if (JSON.stringify(fields.slice(0, 5)) !== JSON.stringify([descriptor.toString(), time, 0, end, next])) wrong.push(`row of ${id}`);
      for (const { publicKey, secret } of secrets.values()) {
        const key = walletKey(WALLET_PREFIX.descriptorKey, Buffer.from(id, 'hex'), crypto.hash160(publicKey));
        const [, resting] = unpackRow(rows.get(hex(key)) ?? packRow([]));
        if (hex(bytesOf(resting)) !== hex(this.wallet.vault.encrypted ? seal(publicKey, secret) : secret)) wrong.push(`key row of ${id}`);
      }
    }
    return wrong;
  }
}

const EMPTY = new Uint8Array(0);
const bytesOfKey = (key: string): Uint8Array => Buffer.from(key, 'latin1');
const plainScriptOf = (publicKey: Uint8Array): Uint8Array => Uint8Array.of(0, 20, ...crypto.hash160(publicKey));
const sourceOf = (secrets: Plain['secrets']): SecretSource => ({ secret: (id) => secrets.get(hashKey(id))?.secret.slice() });

t.test('descriptor tables answer like descriptor objects through random histories', async (t) => {
  const reloads = { rows: 0, image: 0 };
  for (let run = 0; run < RUNS; run++) {
    const seed = SEED + run;
    const world = await World.create(seed);
    for (let step = 0; step < STEPS; step++) {
      const dice = world.below(100);
      const what =
        dice < 62 || world.plain.size === 0
          ? 'import'
          : dice < 80
            ? 'pay'
            : dice < 84
              ? 'encrypt'
              : dice < 89
                ? 'lock'
                : dice < 94
                  ? 'crash'
                  : 'unload';
      if (what === 'crash' || what === 'unload') await world.reload(world.chance(0.2) ? 'backup' : what);
      else await world[what]();
      if (step % 10 === 9 || !['import', 'pay'].includes(what)) await world.check(t, `seed ${seed}, step ${step}, ${what}`);
    }
    reloads.rows += world.reloads.rows;
    reloads.image += world.reloads.image;
    await world.wallet.close();
  }
  if (RUNS >= 6 && STEPS >= 60) t.ok(reloads.rows > 3 && reloads.image > 3, JSON.stringify(reloads));
});

t.test('reads rows that were written after an image', async (t) => {
  const world = await World.create(1);
  for (let i = 0; i < 30; i++) await world.import();
  await world.reload('unload');
  await world.check(t, 'from rows');
  await world.reload('unload');
  await world.check(t, 'from an image');
  for (let i = 0; i < 30; i++) await (i % 3 === 0 ? world.pay() : world.import());
  await world.reload('crash');
  await world.check(t, 'from an image and its journal');
  t.same(world.reloads, { rows: 1, image: 2 });
  await world.wallet.close();
});

t.test('rejects a damaged descriptor row, and accepts one that was named by another text', async (t) => {
  const world = await World.create(3);
  const key = hex(publicOf(1));
  const text = addChecksum(`wpkh(${key})`);
  const parsed = parse(text);
  const fresh = { descriptor: parsed.descriptors[0], secrets: [], time: 7, rangeStart: 0, rangeEnd: 1, nextIndex: 0 };
  await world.wallet.reassessor.change((batch) => world.wallet.descriptors!.addDescriptor(fresh, batch));
  const { surroundings } = await createMemoryWallet();
  const rows = await rowsOf(world.wallet);
  const id = crypto.sha256(Buffer.from(text));
  const load = async (change: (key: Uint8Array, value: Uint8Array) => [Uint8Array, Uint8Array], language: DescriptorContext = context) => {
    const store = await storeOf(rows.map(([key, value]) => change(key, value)));
    return (await loadWallet({ ...surroundings, context: language }, { name: 'w', folder: '' }, store)).wallet;
  };
  const isIts = (key: Uint8Array): boolean => hex(key) === hex(descriptorRow(id));
  const withText = (value: Uint8Array, other: string): Uint8Array => packRow([other, ...unpackRow(value).slice(1)]);
  const damaged = text.replace(
    key,
    key.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  );
  await t.rejects(
    load((key, value) => [key, isIts(key) ? withText(value, damaged) : value]),
    { message: /Wallet corrupted/ },
  );
  // Descriptors may get another text in a later version. Here the stored text has another checksum, but the row keeps
  // its id.
  const renamed = await load((key, value) => [key, isIts(key) ? withText(value, addChecksum(`wpkh([00000000/1h]${key0()})`)) : value]);
  function key0(): string {
    return hex(publicOf(2));
  }
  t.match(renamed.descriptors!.find(id)?.descriptor.toString(), /^wpkh\(\[00000000\/1h\]/, 'read by the parser');
  const older = await load((key, value) => [key, value], descriptorContext('0.21', 'regtest'));
  t.equal(older.descriptors!.find(id)?.descriptor.toString(), text, 'the other language');
  const later = addChecksum(`tr(${key.slice(2)})`);
  await t.rejects(
    load((key, value) => [key, isIts(key) ? withText(value, later) : value], descriptorContext('0.21', 'regtest')),
    { message: /Wallet corrupted/ },
    'a descriptor that this language does not have',
  );
  for (const wallet of [renamed, older, world.wallet]) await wallet.close();
});

t.test('discards an image that was written with another descriptor language', async (t) => {
  const world = await World.create(5);
  const parsed = parse(`pkh(${hex(publicOf(1))})`);
  const fresh = { descriptor: parsed.descriptors[0], secrets: [], time: 7, rangeStart: 0, rangeEnd: 1, nextIndex: 0 };
  await world.wallet.reassessor.change((batch) => world.wallet.descriptors!.addDescriptor(fresh, batch));
  await world.reload('unload');
  await world.reload('unload');
  t.equal(world.reloads.image, 1);
  const rows = await rowsOf(world.wallet);
  const log = { info() {}, warn: (line: string) => t.fail(line) };
  const { surroundings } = await createMemoryWallet();
  const images = { files: () => world.images, leastRows: 0, leastJournal: 0, log };
  const { wallet } = await loadWallet(
    { ...surroundings, context: descriptorContext('0.21', 'regtest'), images },
    { name: 'w', folder: '' },
    await storeOf(rows),
  );
  t.equal(world.images.restored, 2, 'the image is read');
  t.equal(await wallet.storage.store.get(walletKey(WALLET_PREFIX.image)), undefined, 'and deleted');
  t.equal(wallet.descriptors!.count, 7);
  for (const one of [wallet, world.wallet]) await one.close();
});

t.test('a private key of either parity signs for tr() and rawtr(), also after loading', async (t) => {
  const world = await World.create(7);
  const scripts: Uint8Array[] = [];
  for (const name of ['tr', 'rawtr']) {
    for (const n of [1, 2, 3, 4, 5]) {
      const { descriptors, secrets } = parse(`${name}(${encodeWif({ key: secretOf(n), compressed: true }, context.params, crypto)})`);
      const fresh = { descriptor: descriptors[0], secrets: secrets.pairs(), time: 7, rangeStart: 0, rangeEnd: 1, nextIndex: 0 };
      await world.wallet.reassessor.change((batch) => world.wallet.descriptors!.addDescriptor(fresh, batch));
      scripts.push(descriptors[0].scripts(0)![0]);
    }
  }
  t.equal(new Set([1, 2, 3, 4, 5].map((n) => publicOf(n)[0])).size, 2, 'both parities');
  for (const when of ['as imported', 'loaded from rows', 'loaded from an image']) {
    for (const script of scripts) {
      const spent = [{ value: 1000, script }];
      const inputs = [{ prevHash: new Uint8Array(32).fill(3), prevIndex: 0, scriptSig: EMPTY, sequence: 0xfffffffd }];
      const tx = parseTx(buildTx({ version: 2, inputs, outputs: [{ value: 900, script }], locktime: 0 }), crypto);
      const signed = await signTransaction(tx, spent, world.wallet.keys.provider(script)!, 0, { crypto, signer: createSigner() });
      const whole = parseTx(withInputs(tx, signed), crypto);
      t.equal(verifyTxInput(whole, 0, spent, STANDARD_SCRIPT_FLAGS, crypto, new SighashCache(whole, crypto, spent)), 0, when);
    }
    await world.reload('unload');
  }
  t.same(world.reloads, { rows: 1, image: 2 });
  await world.wallet.close();
});

t.test('isPlainText accepts exactly the descriptors that need no parser', async (t) => {
  const [key, other, large] = [hex(publicOf(1)), hex(publicOf(2)), hex(publicOf(1, false))];
  const inner = (text: string): string[] => [`${text}`, `[d34db33f]${text}`, `[d34db33f/0/2147483647h]${text}`];
  const plain = [
    ...[key, large]
      .flatMap(inner)
      .flatMap((text) => [`pk(${text})`, `pkh(${text})`, `combo(${text})`, `sh(pk(${text}))`, `sh(pkh(${text}))`]),
    ...inner(key).flatMap((text) => [`wpkh(${text})`, `sh(wpkh(${text}))`]),
  ];
  const later = inner(key.slice(2)).flatMap((text) => [`tr(${text})`, `rawtr(${text})`]);
  const others = [
    `wsh(pkh(${key}))`,
    `sh(wsh(pk(${key})))`,
    `multi(1,${key})`,
    `tr(${key.slice(2)},pk(${other.slice(2)}))`,
    `tr(musig(${key},${other}))`,
    `wpkh(${XPUB}/0)`,
    `wpkh(${XPUB}/*)`,
    'raw(6a)',
  ];
  for (const language of ['0.21', 'master'] as const) {
    const there = descriptorContext(language, 'regtest');
    for (const text of [...plain, ...later, ...others]) {
      const parsed = parseDescriptor(text, there);
      if ('error' in parsed) {
        t.equal(isPlainText(addChecksum(text), language), false, `${language}: ${text}`);
        continue;
      }
      const [descriptor] = parsed.descriptors;
      const printed = descriptor.toString();
      t.equal(isPlainText(printed, language), !others.includes(text), `${language}: ${text}`);
      if (!others.includes(text)) t.equal(hasCacheableKeys(printed), false);
      if (descriptor.isRange || text.includes(XPUB)) t.equal(hasCacheableKeys(printed), true);
    }
  }
  const hybrid = `pk(06${large.slice(2)})`;
  t.equal(isPlainText(addChecksum(hybrid), '0.21'), false, 'one language only');
  for (const text of [
    `wpkh(${large})`,
    `sh(wpkh(${key})`,
    `wpkh(${key}))`,
    `wpkh(${key}/0)`,
    `wpkh(${key.toUpperCase()})`,
    `combo(${key},${key})`,
  ]) {
    t.equal(isPlainText(addChecksum(text), 'master'), false, text);
  }
  t.equal(isPlainText(`wpkh(${key})`, 'master'), false, 'without its checksum');
});

t.test('overwrites descriptor secrets when they are encrypted and at the end', async (t) => {
  const secrets = new DescriptorSecrets();
  for (let descriptor = 0; descriptor < 100; descriptor++) secrets.ensureCapacity(descriptor);
  for (let n = 1; n <= 90; n++) secrets.setSecret(n % 30, publicOf(n), secretOf(n));
  secrets.setSecret(1, publicOf(1), secretOf(99));
  const held = [...secrets.of(1)].map(({ publicKey, resting }) => `${hex(publicKey)} ${hex(resting)}`);
  t.same(
    held.sort(),
    [
      [1, 99],
      [31, 31],
      [61, 61],
    ]
      .map(([of, secret]) => `${hex(publicOf(of))} ${hex(secretOf(secret))}`)
      .sort(),
  );
  const plain = [...secrets.of(1)].map(({ resting }) => resting);
  secrets.sealAllSecrets(seal)();
  t.ok(
    plain.every((secret) => secret.every((byte) => byte === 0)),
    'when they are sealed',
  );
  const sealed = [...secrets.of(2)].map(({ publicKey, resting }) => [hex(publicKey), hex(resting), resting] as const);
  t.ok(sealed.some(([key, resting]) => key === hex(publicOf(2)) && resting === hex(seal(publicOf(2), secretOf(2)))));
  secrets.wipe();
  t.ok(
    sealed.every(([, , resting]) => resting.every((byte) => byte === 0)),
    'at the end',
  );
  t.equal(secrets.has(2), false);
  t.same([...secrets.of(2)], []);
});

t.test('loading many descriptors yields', async (t) => {
  const world = await World.create(9);
  const count = 3000;
  const at = (i: number): Uint8Array => crypto.hash160(Buffer.from(`script ${i}`));
  await world.wallet.reassessor.change((batch) => {
    for (let i = 0; i < count; i++) {
      const descriptor = parse(`raw(a914${hex(at(i))}87)`).descriptors[0];
      world.wallet.descriptors!.addDescriptor({ descriptor, secrets: [], time: 1, rangeStart: 0, rangeEnd: 1, nextIndex: 0 }, batch);
    }
  });
  const turns = await turnsDuring(() => world.reload('backup'));
  t.ok(turns > 10, `${turns} turns`);
  t.equal(world.wallet.descriptors!.count, count + 6);
});

t.test('shows the normal form of every descriptor in lists of coins and history', async (t) => {
  const world = await World.create(4);
  const key = hex(publicOf(1));
  const texts = [`wpkh(${key})`, `pkh([deadbeef/84h/0]${key})`, `wpkh([deadbeef/84'/0]${key})`, `raw(51)`, `wpkh(${XPUB}/0/*)`];
  for (const text of texts) {
    const [descriptor] = parse(addChecksum(text)).descriptors;
    const fresh = { descriptor, secrets: [], time: 7, rangeStart: 0, rangeEnd: 1, nextIndex: 0 };
    await world.wallet.reassessor.change((batch) => world.wallet.descriptors!.addDescriptor(fresh, batch));
  }
  await world.reload('crash');
  const shown = [...world.wallet.descriptors!.all()].map((tracked) => {
    const text = parentText(world.wallet, tracked);
    t.equal(text, normalText(world.wallet, tracked), text);
    return text;
  });
  t.ok(shown.length >= texts.length);
  t.ok(shown.includes(addChecksum(`wpkh([deadbeef/84h/0]${key})`)), 'without apostrophes');
});

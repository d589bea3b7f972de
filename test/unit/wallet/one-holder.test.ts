// Tests that a wallet can be open only once: by every path that leads to it, in concurrent calls, and in several
// processes.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import t, { type Test } from 'tap';
import { openStore } from '../../../src/storage/open-store.js';
import { writeBackup } from '../../../src/wallet/manage/backup.js';
import type { WalletOptions } from '../../../src/wallet/options.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { createMemoryWallet } from '../../framework/memory-wallet.js';
import { managerIn, PLAIN_WALLET } from '../../framework/wallet-manager.js';

interface World {
  readonly dir: string;
  readonly manager: ReturnType<typeof managerIn>;
  readonly warnings: string[];
  /** Runs as the last step of loading a wallet. */
  onLoaded(wallet: Wallet): Promise<void>;
  at(name: string): string;
}

async function world(t: Test, options: Partial<WalletOptions> = {}, known?: string): Promise<World> {
  const base = known ?? fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-holder-')));
  if (known === undefined) t.teardown(() => fs.rmSync(base, { recursive: true, force: true }));
  const dir = path.join(base, 'wallets');
  fs.mkdirSync(dir, { recursive: true });
  const { wallet: some, surroundings } = await createMemoryWallet();
  const warnings: string[] = [];
  const here = { onLoaded: async (_: Wallet): Promise<void> => {} };
  const manager = managerIn({
    dir,
    surroundings,
    tip: some.tip!,
    options,
    deps: { log: { info() {}, warn: (line) => warnings.push(line), error() {} }, onLoaded: (wallet) => here.onLoaded(wallet) },
  });
  t.teardown(() => manager.close());
  return Object.assign(here, { dir, manager, warnings, at: (name: string) => path.join(dir, name) });
}
const loadedAs = (file: string) => ({
  code: -4,
  message: `Wallet file verification failed. Refusing to load database. Data file '${file}' is already loaded.`,
});

t.test('refuses to load or create a loaded wallet by another path', async (t) => {
  const { dir, manager, at } = await world(t);
  await manager.createWallet({ ...PLAIN_WALLET, name: 'a' });
  fs.symlinkSync(at('a'), at('b'));
  fs.symlinkSync(dir, `${dir}-link`);
  const others = ['a', 'b', 'a/', './a', '../wallets/a', 'a/wallet.dat', 'b/wallet.dat', at('a'), at('b'), path.join(`${dir}-link`, 'a')];
  for (const name of others) await t.rejects(manager.loadWallet(name), loadedAs(path.join(at('a'), 'wallet.db')), name);
  // A second folder with hard links to the same files.
  fs.mkdirSync(at('twin'));
  for (const inside of fs.readdirSync(at('a'))) {
    fs.mkdirSync(path.join(at('twin'), inside));
    for (const name of fs.readdirSync(path.join(at('a'), inside))) {
      fs.linkSync(path.join(at('a'), inside, name), path.join(at('twin'), inside, name));
    }
  }
  await t.rejects(manager.loadWallet('twin'), {
    code: -4,
    message: /^Wallet file verification failed\. Error initializing wallet database environment/,
  });
  // Another folder that contains a symbolic link to the same database.
  fs.mkdirSync(at('around'));
  fs.symlinkSync(path.join(at('a'), 'wallet.db'), path.join(at('around'), 'wallet.db'));
  await t.rejects(manager.loadWallet('around'), { code: -4, message: /^Wallet file verification failed\. Invalid -wallet path 'around'/ });
  for (const name of ['b', `${dir}-link/a`])
    await t.rejects(manager.createWallet({ ...PLAIN_WALLET, name }), { code: -4, message: /Database already exists/ });
  t.equal(manager.all.length, 1);

  await manager.unloadWallet(manager.get('a')!);
  const wallet = await manager.loadWallet(path.join(`${dir}-link`, 'b'));
  await t.rejects(manager.loadWallet('a'), { code: -4, message: /is already loaded/ }, 'the other way round');
  await manager.unloadWallet(wallet);
});

t.test('only one of many concurrent calls gets the same wallet', async (t) => {
  const { dir, manager, at } = await world(t);
  fs.mkdirSync(at('a'));
  fs.symlinkSync(at('a'), at('b'));
  fs.symlinkSync(dir, `${dir}-link`);
  const { wallet: source } = await createMemoryWallet({ store: await openStore({ path: path.join(dir, 'source') }) });
  await source.change((batch) => {
    batch.put(Uint8Array.of(0x73), Uint8Array.of(1));
    source.record.write(batch);
    source.position.writeLocator(batch);
  });
  const file = path.join(dir, 'file');
  await writeBackup(source.storage.store, file);
  await source.close();
  const names = ['a', 'b', at('a'), path.join(`${dir}-link`, 'a')];
  const done = await Promise.allSettled([
    ...names.map((name) => manager.createWallet({ ...PLAIN_WALLET, name }).then(({ wallet }) => wallet)),
    ...names.map((name) => manager.restoreWallet(name, file)),
    ...names.map((name) => manager.loadWallet(name)),
  ]);
  const made = done.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  t.equal(made.length, 1, 'exactly one call succeeds');
  for (const one of done) if (one.status === 'rejected') t.ok([-4, -18, -36].includes(one.reason.code), one.reason.message);
  t.same(manager.all, made);
  // The calls that were refused must not have changed the wallet.
  const [{ id }] = made[0].legacy!.pool.entries();
  await manager.unloadWallet(made[0]);
  const back = await Promise.allSettled(names.map((name) => manager.loadWallet(name)));
  const loaded = back.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  t.equal(loaded.length, 1);
  t.ok(loaded[0].legacy!.pool.entries().some((entry) => Buffer.compare(entry.id, id) === 0));
  await Promise.allSettled([manager.unloadWallet(loaded[0]), ...names.map((name) => manager.loadWallet(name))]);
  t.ok(manager.all.length <= 1);
});

t.test('loads a wallet once at start and warns about other names for it', async (t) => {
  const first = await world(t);
  await first.manager.createWallet({ ...PLAIN_WALLET, name: 'a' });
  await first.manager.close();
  fs.symlinkSync(first.at('a'), first.at('b'));
  const { manager, warnings } = await world(t, { names: ['b', 'a', first.at('a'), 'a/'] }, path.dirname(first.dir));
  await manager.loadAtStart();
  t.same(
    manager.all.map(({ name }) => name),
    ['b'],
  );
  t.same(warnings, ['Ignoring duplicate -wallet a.', `Ignoring duplicate -wallet ${first.at('a')}.`, 'Ignoring duplicate -wallet a/.']);
});

t.test('refuses to load a wallet that another process holds', async (t) => {
  const { dir, manager, at } = await world(t);
  const { wallet } = await manager.createWallet({ ...PLAIN_WALLET, name: 'a' });
  await manager.unloadWallet(wallet);
  fs.symlinkSync(at('a'), at('b'));
  // The process is stopped while it replaces the wallet's database. At this moment no database has the final name, and
  // a repair would remove the unfinished one.
  const script = `
    import fs from 'node:fs';
    const { FolderHolds } = await import(${JSON.stringify(new URL('../../../src/wallet/manage/folder-holds.js', import.meta.url).href)});
    await new FolderHolds().holdFolder(process.argv[1], '');
    console.log('held');
    process.stdin.on('data', () => process.exit());`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, at('a')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const [line] = await Promise.race([
    new Promise<string[]>((resolve) => readline.createInterface(child.stdout).once('line', (text) => resolve([text]))),
    ended.then(() => ['it ended']),
  ]);
  t.equal(line, 'held');
  fs.mkdirSync(path.join(at('a'), 'wallet.db.new'));
  fs.writeFileSync(path.join(at('a'), 'wallet.db.new', 'CURRENT'), 'theirs');
  const held = { code: -4, message: `Wallet file verification failed. Error initializing wallet database environment "${at('a')}"!` };
  await t.rejects(manager.loadWallet('a'), held);
  await t.rejects(manager.loadWallet('b'), { code: -4, message: /Error initializing wallet database environment/ });
  t.equal(
    fs.readFileSync(path.join(at('a'), 'wallet.db.new', 'CURRENT'), 'utf8'),
    'theirs',
    'the files of the other process stay unchanged',
  );
  child.stdin.write('end\n');
  await ended;
  await manager.loadWallet('b');
  t.notOk(fs.existsSync(path.join(at('a'), 'wallet.db.new')), 'files of an ended process are removed');
  t.ok(dir);
});

t.test('removes what a failed createwallet has written', async (t) => {
  const { manager, at } = await world(t);
  const secret = new TextEncoder().encode('x');
  await t.rejects(manager.createWallet({ ...PLAIN_WALLET, name: 'none', disablePrivateKeys: true, passphrase: secret }), { code: -4 });
  t.notOk(fs.existsSync(at('none')));
  fs.mkdirSync(at('there'));
  await t.rejects(manager.createWallet({ ...PLAIN_WALLET, name: 'there', disablePrivateKeys: true, passphrase: secret }), { code: -4 });
  t.same(fs.readdirSync(at('there')), []);
  await manager.createWallet({ ...PLAIN_WALLET, name: 'none' });
  for (const name of ['wallet.lock', 'x/wallet.lock']) {
    await t.rejects(manager.createWallet({ ...PLAIN_WALLET, name }), { code: -4, message: /Nothing in it may be called/ });
  }
  t.same(await manager.listDir(), ['none']);
});

t.test('releases the folder of a wallet that is unloaded while it is loading', async (t) => {
  const here = await world(t);
  const { manager } = here;
  await manager.unloadWallet((await manager.createWallet({ ...PLAIN_WALLET, name: 'a' })).wallet);
  let unloading: Promise<void> | undefined;
  here.onLoaded = async (wallet) => {
    here.onLoaded = async () => {};
    unloading = manager.unloadWallet(wallet);
    await unloading;
  };
  await manager.loadWallet('a').catch(() => {});
  await unloading;
  t.same(manager.all, []);
  const again = await manager.loadWallet('a');
  t.same(manager.all, [again], 'its folder is free');
  // The folder is also free after a loading that fails later, while the wallet is still being closed.
  await manager.unloadWallet(again);
  here.onLoaded = async (wallet) => {
    here.onLoaded = async () => {};
    unloading = manager.unloadWallet(wallet);
    throw new Error('cut off');
  };
  await t.rejects(manager.loadWallet('a'), { message: 'cut off' });
  t.same(manager.all, []);
  await manager.unloadWallet(await manager.loadWallet('a'));
  await unloading;
});

t.test('closes a wallet that waits to be unloaded when the node stops', async (t) => {
  const { manager } = await world(t);
  const { wallet } = await manager.createWallet({ ...PLAIN_WALLET, name: 'a' });
  let leave = (): void => {};
  const call = wallet.access.runCall(() => new Promise<void>((resolve) => (leave = resolve)));
  const unloading = manager.unloadWallet(wallet);
  await new Promise(setImmediate);
  t.notOk(wallet.closed, 'the wallet waits for a running call');
  await manager.close();
  t.ok(wallet.closed);
  leave();
  await call;
  await unloading;
});

t.test('refuses to create a wallet inside the database of another one', async (t) => {
  const { manager, at } = await world(t);
  await manager.createWallet({ ...PLAIN_WALLET, name: 'a' });
  fs.symlinkSync(path.join(at('a'), 'wallet.db'), at('b'));
  fs.symlinkSync(at('a'), at('c'));
  for (const name of ['b', 'b/x', 'b/x/y', 'c/wallet.db/x', at('b/x')]) {
    await t.rejects(manager.createWallet({ ...PLAIN_WALLET, name }), { code: -4, message: /Nothing in it may be called/ }, name);
  }
  t.same(
    fs.readdirSync(path.join(at('a'), 'wallet.db')).filter((name) => /^(x|wallet)/.test(name)),
    [],
  );
  await manager.createWallet({ ...PLAIN_WALLET, name: 'c/inner' });
  t.same((await manager.listDir()).sort(), ['a', 'a/inner']);
});

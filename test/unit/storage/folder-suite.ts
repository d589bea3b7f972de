// Properties of a store in a folder: locks, the ENGINE file, survival of a kill. One process per engine, because the
// two bindings contain different RocksDB versions and disturb each other in one process.

import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import t from 'tap';
import { type EngineName, loadEngine, openStore } from '../../../src/storage/open-store.js';
import type { BatchOp } from '../../../src/storage/store.js';
import { storeSuite } from './store-suite.js';

/**
 * Registers the common suite and the folder's own tests for one engine, or a skip when its binding doesn't load here.
 */
export function folderSuite(engine: EngineName, other: EngineName): void {
  const loaded = loadEngine(engine);
  if (loaded instanceof Error) {
    t.test(engine, { skip: `does not load here: ${loaded.message}` }, () => {});
    return;
  }
  const root = mkdtempSync(join(tmpdir(), 'adit-store-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  let folders = 0;
  const newFolder = (): string => join(root, `folder${folders++}`, 'below');

  storeSuite(engine, () => openStore({ path: newFolder(), engine }));
  storeSuite(`${engine}, writes on a thread`, () => openStore({ path: newFolder(), engine, writeThread: true }));

  t.test(`${engine}: reads after a reopening what was written before`, async (t) => {
    const path = newFolder();
    let store = await openStore({ path, engine });
    await store.batch([{ type: 'put', key: Uint8Array.of(1), value: Uint8Array.of(2) }]);
    await store.close();
    store = await openStore({ path });
    t.equal(store.engine, engine, 'without a wish the folder decides');
    t.same([...((await store.get(Uint8Array.of(1))) ?? [])], [2]);
    t.ok((await store.approximateSize(Uint8Array.of(0), Uint8Array.of(255))) >= 0);
    await store.close();
  });

  t.test(`${engine}: writes large batches to several databases, one after the other and at once`, async (t) => {
    const ops = (value: number): BatchOp[] =>
      Array.from({ length: 20_000 }, (_, i) => ({ type: 'put', key: Uint8Array.of(i >> 8, i & 255), value: Uint8Array.of(value) }));
    const holds = async (path: string, value: number): Promise<void> => {
      const store = await openStore({ path });
      let rows = 0;
      for await (const [, found] of store.iterate()) if (found[0] === value) rows++;
      t.equal(rows, 20_000);
      await store.close();
    };
    const first = newFolder();
    const store = await openStore({ path: first, engine });
    await store.batch(ops(1));
    const paths: string[] = [];
    for (let value = 2; value < 8; value++) {
      const path = newFolder();
      paths.push(path);
      const other = await openStore({ path, engine });
      await Promise.all([other.batch(ops(value), { sync: true }), store.batch(ops(value))]);
      await other.close();
    }
    await store.close();
    await holds(first, 7);
    for (const [i, path] of paths.entries()) await holds(path, i + 2);
  });

  t.test(`${engine}: refuses to open a folder that is in use`, async (t) => {
    const path = newFolder();
    const store = await openStore({ path, engine });
    await t.rejects(openStore({ path, engine }), { code: 'STORE_LOCKED' });
    await store.close();
  });

  t.test(`${engine}: refuses a folder in use by whatever path it is opened`, async (t) => {
    const path = newFolder();
    const store = await openStore({ path, engine });
    const link = `${dirname(path)}-link`;
    symlinkSync(dirname(path), link);
    // RocksDB compares texts of paths within a process; a lock of the kernel does not stop the process that holds it.
    const twin = newFolder();
    mkdirSync(twin, { recursive: true });
    for (const name of readdirSync(path)) {
      try {
        linkSync(join(path, name), join(twin, name));
      } catch (error) {
        // RocksDB deletes files of its own meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    const others = [join(link, 'below'), `${path}/`, `${path}/.`, relative(process.cwd(), path), twin];
    for (const other of others) await t.rejects(openStore({ path: other, engine }), { code: 'STORE_LOCKED' }, other);
    await store.close();
    const [first, second] = await Promise.allSettled([openStore({ path, engine }), openStore({ path: join(link, 'below'), engine })]);
    t.same([first.status, second.status].sort(), ['fulfilled', 'rejected'], 'in one moment one of them gets it');
    for (const opened of [first, second]) if (opened.status === 'fulfilled') await opened.value.close();
    // A failed attempt must not have given the kernel's lock away, and none keeps the folder.
    const again = await openStore({ path: join(link, 'below'), engine });
    await t.rejects(openStore({ path, engine }), { code: 'STORE_LOCKED' });
    const script = `import { openStore } from ${JSON.stringify(new URL('../../../src/storage/open-store.js', import.meta.url).href)};
      await openStore({ path: ${JSON.stringify(path)}, engine: ${JSON.stringify(engine)} }).then(() => console.log('open'), (e) => console.log(e.code));`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    t.equal(child.stdout.trim(), 'STORE_LOCKED', 'another process');
    await again.close();
  });

  t.test(`${engine}: refuses a folder that the other engine wrote`, async (t) => {
    const path = newFolder();
    await (await openStore({ path, engine })).close();
    const record = readFileSync(join(path, 'ENGINE'), 'latin1');
    t.match(record, `engine: ${engine}\nformat: 1\nbinding: `);
    await t.rejects(openStore({ path, engine: other }), { code: 'STORE_ENGINE', message: new RegExp(`was written by engine ${engine}`) });
    writeFileSync(join(path, 'ENGINE'), record.replace('format: 1', 'format: 2'));
    await t.rejects(openStore({ path }), { code: 'STORE_ENGINE' });
    writeFileSync(join(path, 'ENGINE'), 'nonsense');
    await t.rejects(openStore({ path }), { code: 'STORE_CORRUPTION' });
    rmSync(join(path, 'ENGINE'));
    await t.rejects(openStore({ path }), { code: 'STORE_ENGINE', message: /did not create/ });
  });

  t.test(`${engine}: uses the previous manifest when CURRENT names a missing one, if that is safe`, async (t) => {
    const path = newFolder();
    const put = (value: number): BatchOp => ({ type: 'put', key: Uint8Array.of(1), value: Uint8Array.of(value) });
    for (const value of [1, 2]) {
      const store = await openStore({ path, engine });
      await store.batch([put(value)], { sync: true });
      await store.close();
    }
    const opens = async (): Promise<unknown> => {
      const store = await openStore({ path, engine });
      const value = await store.get(Uint8Array.of(1));
      await store.close();
      return value && [...value];
    };
    writeFileSync(join(path, 'CURRENT'), 'MANIFEST-999999\n');
    t.same(await opens(), [2], 'the one before says the same');
    writeFileSync(join(path, 'CURRENT'), 'MANIFEST-999999\n');
    writeFileSync(join(path, '1000000.sst'), '');
    await t.rejects(opens(), { code: 'STORE_CORRUPTION' }, 'that one was in use');
    rmSync(join(path, '1000000.sst'));
    for (const name of readdirSync(path)) if (name.startsWith('MANIFEST-')) renameSync(join(path, name), join(path, 'MANIFEST-1000000'));
    await t.rejects(opens(), { code: 'STORE_CORRUPTION' }, 'there is none before');
  });

  t.test(`${engine}: reports a damaged manifest as corruption`, async (t) => {
    const path = newFolder();
    await (await openStore({ path, engine })).close();
    const [manifest] = readdirSync(path).filter((name) => name.startsWith('MANIFEST-'));
    writeFileSync(join(path, manifest!), 'no list of tables');
    await t.rejects(openStore({ path }), { code: 'STORE_CORRUPTION' });
  });

  t.test(`${engine}: retains acknowledged batches after SIGKILL`, async (t) => {
    const path = newFolder();
    const script = `
      const { openStore } = await import(${JSON.stringify(new URL('../../../src/storage/open-store.js', import.meta.url).href)});
      const store = await openStore({ path: ${JSON.stringify(path)}, engine: ${JSON.stringify(engine)} });
      for (let i = 0; i < 200; i++) await store.batch([{ type: 'put', key: Uint8Array.of(i), value: new Uint8Array(100).fill(i) }]);
      process.kill(process.pid, 'SIGKILL');`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    t.equal(run.signal, 'SIGKILL', run.stderr.toString());
    const store = await openStore({ path });
    let count = 0;
    for await (const [key, value] of store.iterate()) {
      t.ok(value.every((byte) => byte === key[0]));
      count++;
    }
    t.equal(count, 200);
    await store.close();
  });

  t.test(`${engine}: refuses to load the other binding in the same process`, async (t) => {
    await t.rejects(openStore({ path: newFolder(), engine: other }), { code: 'STORE_ENGINE', message: /already uses/ });
  });
}

// Small files of state, and folders: in which order the system is asked to write them. A loss of power keeps only what
// was synced, so a file must be on the disk before it takes its name, and the name before anything builds on it.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { readSettings, rewriteSettings, updateSettingsList } from '../../../src/config/settings-file.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { replaceFileSync } from '../../../src/lib/durable-file.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { AddrManager } from '../../../src/net/address/addr-manager.js';
import { AddressFiles } from '../../../src/net/address/address-files.js';
import { Bans, parseSubnet } from '../../../src/net/peer/bans.js';
import { prepareFolders } from '../../../src/node/data-folder.js';
import { loadFleetKey } from '../../../src/node/fleet.js';
import { RebuildNote } from '../../../src/node/rebuild.js';
import { loadAuthorityKey } from '../../../src/sv2/provide/authority-file.js';

function folder(t: Test): string {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(tmpdir()), 'adit-durable-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Records syncs and renames during `work`, by paths below a folder; the folder itself is a point. */
function eventsOf(dir: string, work: () => void): string[] {
  const events: string[] = [];
  const paths = new Map<number, string>();
  const { openSync, fsyncSync, renameSync } = fs;
  const name = (file: string): string => path.relative(dir, file) || '.';
  fs.openSync = ((file: string, ...rest: [string, number]) => {
    const handle = openSync(file, ...rest);
    paths.set(handle, file);
    return handle;
  }) as typeof openSync;
  fs.fsyncSync = (handle) => {
    events.push(`sync ${name(paths.get(handle)!)}`);
    fsyncSync(handle);
  };
  fs.renameSync = (from, to) => {
    events.push(`rename ${name(String(from))} ${name(String(to))}`);
    renameSync(from, to);
  };
  try {
    work();
  } finally {
    Object.assign(fs, { openSync, fsyncSync, renameSync });
  }
  return events;
}

t.test('writes settings.json atomically with fsync, and only when it changed', async (t) => {
  const dir = folder(t);
  const file = path.join(dir, 'settings.json');
  const expected = ['sync settings.json.tmp', 'rename settings.json.tmp settings.json', 'sync .'];
  t.same(
    eventsOf(dir, () => updateSettingsList(file, 'wallet', () => ['a'])),
    expected,
  );
  t.same(
    eventsOf(dir, () => updateSettingsList(file, 'wallet', (list) => list)),
    [],
    'nothing changed',
  );
  rewriteSettings(file, true);
  t.match(JSON.parse(fs.readFileSync(file, 'utf8')), { _warning_: /Please do not edit/, wallet: ['a'] });
  t.same([...readSettings(file).keys()], ['wallet'], 'the warning is no option');
  rewriteSettings(file, false);
  t.same(JSON.parse(fs.readFileSync(file, 'utf8')), { wallet: ['a'] });
});

t.test('writes the Stratum V2 authority key with fsync before it returns it', async (t) => {
  const dir = folder(t);
  const file = path.join(dir, 'key');
  const keys = createKeyMath();
  let first: Uint8Array | undefined;
  t.same(
    eventsOf(dir, () => {
      first = loadAuthorityKey(file, keys, t.fail).publicKey;
    }),
    ['sync key.new', 'rename key.new key', 'sync .'],
  );
  t.same(loadAuthorityKey(file, keys, t.fail).publicKey, first);
  t.equal(fs.statSync(file).mode & 0o777, 0o600);
});

t.test("writes a fleet's key with fsync before it returns it", async (t) => {
  const dir = folder(t);
  const file = path.join(dir, 'key.pem');
  t.same(
    eventsOf(dir, () =>
      t.equal(
        loadFleetKey(file, () => 'first'),
        'first',
      ),
    ),
    ['sync key.pem.new', 'rename key.pem.new key.pem', 'sync .'],
  );
  t.equal(
    loadFleetKey(file, () => 'second'),
    'first',
  );
  t.equal(fs.statSync(file).mode & 0o777, 0o600);
});

t.test('writes the rebuild note with fsync, and syncs its removal', async (t) => {
  const dir = folder(t);
  const note = new RebuildNote(dir);
  t.same(
    eventsOf(dir, () => note.write('all wipe')),
    ['sync REBUILD.tmp', 'rename REBUILD.tmp REBUILD', 'sync .'],
  );
  t.equal(note.read(), 'all wipe');
  t.same(
    eventsOf(dir, () => note.remove()),
    ['sync .'],
  );
  t.equal(note.read(), null);
});

t.test('writes the ban list atomically with fsync', async (t) => {
  const dir = folder(t);
  const bans = new Bans(path.join(dir, 'bans.json'), () => 1_700_000_000, t.fail);
  t.same(
    eventsOf(dir, () => bans.add(parseSubnet('192.0.2.0/24')!, 1_800_000_000)),
    ['sync bans.json.new', 'rename bans.json.new bans.json', 'sync .'],
  );
});

t.test('writes peers.dat and anchors.json with fsync, one write after another', async (t) => {
  const dir = folder(t);
  const [peers, anchors] = [path.join(dir, 'peers.dat'), path.join(dir, 'anchors.json')];
  const events: string[] = [];
  const { open, rename } = fs.promises;
  fs.promises.open = async (file, ...rest) => {
    const handle = await open(file, ...rest);
    const sync = handle.sync.bind(handle);
    handle.sync = () => {
      events.push(`sync ${path.basename(String(file))}`);
      return sync();
    };
    return handle;
  };
  fs.promises.rename = (from, to) => {
    events.push(`rename ${path.basename(String(to))}`);
    return rename(from, to);
  };
  syncBuiltinESMExports();
  t.teardown(() => {
    Object.assign(fs.promises, { open, rename });
    syncBuiltinESMExports();
  });
  const files = new AddressFiles(peers, anchors, { ...silentLogger, warn: t.fail });
  const manager = { encode: () => Uint8Array.of(1, 2, 3) } as AddrManager;
  await Promise.all([files.saveAddresses(manager), files.saveAddresses(manager), files.saveAnchors([])]);
  t.same(events, [...Array(2).fill(['sync peers.dat.new', 'rename peers.dat']).flat(), 'sync anchors.json.new', 'rename anchors.json']);
  t.same([...fs.readFileSync(peers)], [1, 2, 3]);
  t.equal(fs.readFileSync(anchors, 'utf8'), '[]');
});

t.test('syncs new folders and their parents', async (t) => {
  const dir = folder(t);
  const net = path.join(dir, 'data', 'regtest');
  const blocks = path.join(net, 'blocks');
  t.same(
    eventsOf(dir, () => prepareFolders(net, blocks)),
    ['sync data', 'sync .', 'sync data/regtest', 'sync data/regtest'],
  );
  t.same(
    eventsOf(dir, () => prepareFolders(net, blocks)),
    [],
    'nothing is new',
  );
});

t.test('replaceFileSync follows no link at the temporary name, and reports a failure', async (t) => {
  const dir = folder(t);
  const file = path.join(dir, 'file');
  const other = path.join(dir, 'other');
  fs.writeFileSync(other, 'mine');
  fs.symlinkSync(other, `${file}.new`);
  replaceFileSync(file, 'one');
  t.equal(fs.readFileSync(file, 'utf8'), 'one');
  t.equal(fs.readFileSync(other, 'utf8'), 'mine', 'a link is not followed');
  t.throws(() => replaceFileSync(path.join(dir, 'nowhere', 'file'), 'two'), { code: 'ENOENT' });
});

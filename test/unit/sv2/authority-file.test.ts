// The authority's key file: created once, readable for the operator alone, and used unchanged afterwards.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { loadAuthorityKey } from '../../../src/sv2/provide/authority-file.js';

t.test('creates the authority key once, and warns about or rejects a bad key file', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-sv2-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  const file = path.join(dir, 'sv2_authority_key');
  const warnings: string[] = [];
  const load = () => loadAuthorityKey(file, createKeyMath(), (line) => warnings.push(line));
  const made = load();
  t.equal(made.fresh, true);
  t.equal(fs.statSync(file).mode & 0o777, 0o600);
  t.same(fs.readdirSync(dir), ['sv2_authority_key'], 'nothing else is left');
  const again = load();
  t.equal(again.fresh, false);
  t.same(again.publicKey, made.publicKey);
  t.same(warnings, []);
  // The secret of the reference implementation's public test key, as sv2-tp would keep it.
  fs.writeFileSync(file, Buffer.from('65995eb19631f478a46ffa5cf1e545091efe950eaeac7482ffdc06eb6a89f697', 'hex'));
  fs.chmodSync(file, 0o644);
  t.equal(Buffer.from(load().publicKey).toString('hex'), '24ee3c3804a1aaa4c03b80ea19f7a5863c916e8994b7db94a3bad7ee092b6ce7');
  t.match(warnings, [/Other users can read the Stratum V2 authority key/]);
  fs.writeFileSync(file, 'too short');
  t.throws(load, /not an authority key: it has 9 bytes instead of 32/);
  fs.writeFileSync(file, Buffer.alloc(32));
  t.throws(load, /its bytes are not a valid private key/);
});

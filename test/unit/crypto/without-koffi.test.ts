// A process in which koffi's binary does not load: the npm packages do its work.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';

const native = (file: string): string => new URL(`../../../src/crypto/native/${file}.js`, import.meta.url).href;

t.test('hashes, curve, signer and key exchange work without koffi', async (t) => {
  const shim = path.join(t.testdir(), 'shim.cjs');
  fs.writeFileSync(
    shim,
    `const dlopen = process.dlopen;
     process.dlopen = (module, file, ...rest) => {
       if (/koffi/.test(file)) throw new Error('no binary');
       return dlopen.call(process, module, file, ...rest);
     };`,
  );
  const script = `
    const { createNativeCrypto } = await import('${native('index')}');
    const { createSigner } = await import('${native('sign')}');
    const { createEllSwift } = await import('${native('ell-swift')}');
    const crypto = createNativeCrypto();
    createSigner();
    createEllSwift(crypto);
    console.log(JSON.stringify([crypto.backend, Buffer.from(crypto.sha256d(new Uint8Array(3))).toString('hex')]));`;
  const out = execFileSync(process.execPath, ['--require', shim, '--input-type=module', '-e', script], { encoding: 'utf8' });
  const [backend, hash] = JSON.parse(out);
  t.same(backend, { ecdsa: 'secp256k1 (npm)', schnorr: 'tiny-secp256k1 (WebAssembly)', hashes: 'node:crypto' });
  t.equal(hash.length, 64);
});

// Publications: signed by a pinned key, of one chain, readable by neighbours of their version.
import { createPrivateKey, sign } from 'node:crypto';
import t from 'tap';
import { encode } from '../../../src/fleet/messages.js';
import { newNodeKey, publicKeyOf, Signer, Verifier } from '../../../src/fleet/signed.js';
import { fc } from '../../framework/fast-check.js';

const body = new Uint8Array([1, 2, 3]);

t.test('reads publications of pinned nodes on the same chain only', async (t) => {
  const [mine, other] = [newNodeKey(), newNodeKey()];
  const verifier = new Verifier(new Map([['a', publicKeyOf(mine)]]), 'regtest');
  const signer = new Signer(mine, 'regtest', 'a', 'run1');
  const first = verifier.open(signer.publication('fact', body));
  t.match(first, { kind: 'fact', node: 'a', run: 'run1', number: 1 });
  t.same(new Uint8Array(first!.body), body);
  t.equal(verifier.open(signer.publication('head', body))?.number, 2, 'numbers rise');
  t.equal(verifier.open(new Signer(other, 'regtest', 'a', 'run1').publication('fact', body)), null, 'another key');
  t.equal(verifier.open(new Signer(mine, 'regtest', 'b', 'run1').publication('fact', body)), null, 'a node that is not pinned');
  t.equal(verifier.open(new Signer(mine, 'main', 'a', 'run1').publication('fact', body)), null, 'another chain');
});

t.test('rejects a publication with any changed bit', async () => {
  const key = newNodeKey();
  const verifier = new Verifier(new Map([['a', publicKeyOf(key)]]), 'regtest');
  const whole = new Signer(key, 'regtest', 'a', 'run1').publication('fact', body);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(7), (at, bit) => {
      const changed = new Uint8Array(whole);
      changed[at] = (changed[at] as number) ^ (1 << bit);
      return verifier.open(changed) === null;
    }),
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => verifier.open(bytes) === null));
});

t.test('reads later versions that declare compatibility, and rejects others', async (t) => {
  const key = newNodeKey();
  const verifier = new Verifier(new Map([['a', publicKeyOf(key)]]), 'regtest');
  const made = (v: number, least: number): Uint8Array => {
    const signed = encode({ v, least, chain: 'regtest', kind: 'fact', node: 'a', run: 'r', number: 1, body, later: 'member' });
    return new Uint8Array(Buffer.concat([sign(null, signed, createPrivateKey(key)), signed]));
  };
  t.ok(verifier.open(made(1, 1)));
  t.ok(verifier.open(made(2, 1)), 'a later one that this one may read');
  t.equal(verifier.open(made(3, 2)), null, 'one that it would misread');
});

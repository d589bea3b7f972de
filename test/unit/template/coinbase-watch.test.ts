// Warnings about submitted coinbases, and how often they appear.
import t from 'tap';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { CoinbaseWatch } from '../../../src/template/coinbase-watch.js';
import { input, makeTx, output } from '../../framework/law-blocks.js';

const hashes = createPureHashes();
const coinbase = (locktime: number, sequence: number) =>
  makeTx(hashes, {
    inputs: [input(new Uint8Array(32), 0xffffffff, { scriptSig: new Uint8Array(10), sequence })],
    outputs: [output(50)],
    locktime,
  });

t.test('warns once per client, and only about coinbases that BIP-0054 would make invalid', async (t) => {
  const lines: string[] = [];
  const watch = new CoinbaseWatch({ warn: (line) => lines.push(String(line)) });
  watch.checkSubmitted('RPC user "a"', coinbase(99, 0xfffffffe), 100);
  watch.checkSubmitted('RPC user "a"', coinbase(99, 0), 100);
  t.strictSame(lines, []);
  watch.checkSubmitted('RPC user "a"', coinbase(100, 0xfffffffe), 100);
  t.equal(lines.length, 1);
  t.match(lines[0], /^RPC user "a" submitted a coinbase at height 100 .* locktime 100 instead of 99, sequence 4294967294/);
  watch.checkSubmitted('RPC user "a"', coinbase(0, 0xffffffff), 101);
  t.equal(lines.length, 1);
  watch.checkSubmitted('RPC user "b"', coinbase(100, 0xffffffff), 101);
  t.match(lines[1], /^RPC user "b" .* sequence 4294967295 \(4294967294 complies\)/);
});

t.test('warns for at most 256 clients', async (t) => {
  let lines = 0;
  const watch = new CoinbaseWatch({ warn: () => lines++ });
  for (let i = 0; i < 1_000; i++) watch.checkSubmitted(`client ${i}`, coinbase(0, 0xffffffff), 7);
  t.equal(lines, 256);
});

// Addresses: every kind on two networks, and the wording of what is refused.

import t from 'tap';
import { decodeAddress, encodeAddress } from '../../../src/address/address.js';
import { scriptHashScript, witnessProgramScript } from '../../../src/consensus/script/build-script.js';
import { publicKeyHashScript } from '../../../src/consensus/script/templates.js';
import { fc } from '../../framework/fast-check.js';
import { hex, unhex } from '../../framework/hex.js';

const MAIN = { base58: { p2pkh: 0, p2sh: 5, wif: 128 }, bech32Hrp: 'bc' };
const REGTEST = { base58: { p2pkh: 111, p2sh: 196, wif: 239 }, bech32Hrp: 'bcrt' };
const HASH = '751e76e8199196d454941c45d1b3a323f1433bd6';
const KEY = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

t.test('decodes a known address of each kind and encodes its script to the same address', async (t) => {
  for (const [address, script, kind, version, payload] of [
    ['1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH', `76a914${HASH}88ac`, 'pubkeyhash', -1, HASH],
    ['3CNHUhP3uyB9EUtRLsmvFUmvGdjGdkTxJw', `a914${HASH}87`, 'scripthash', -1, HASH],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', `0014${HASH}`, 'witness_v0_keyhash', 0, HASH],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', `5120${KEY}`, 'witness_v1_taproot', 1, KEY],
    ['BC1SW50QGDZ25J', '6002751e', 'witness_unknown', 16, '751e'],
  ] as const) {
    const decoded = decodeAddress(address, MAIN);
    if ('error' in decoded) {
      t.fail(`${address}: ${decoded.error}`);
      continue;
    }
    const { kind: gotKind, script: gotScript, witnessVersion, payload: gotPayload } = decoded;
    t.same([gotKind, hex(gotScript), witnessVersion, hex(gotPayload)], [kind, script, version, payload], address);
    t.equal(encodeAddress(unhex(script), MAIN), address.startsWith('BC') ? address.toLowerCase() : address);
  }
});

t.test('decodes every encoded address on its own network and rejects it on the other one', async (t) => {
  const hash = fc.uint8Array({ minLength: 20, maxLength: 20 });
  const script = fc.oneof(
    hash.map(publicKeyHashScript),
    hash.map(scriptHashScript),
    hash.map((program) => witnessProgramScript(0, program)),
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map((program) => witnessProgramScript(0, program)),
    fc.tuple(fc.integer({ min: 1, max: 16 }), fc.uint8Array({ minLength: 2, maxLength: 40 })).map(([v, p]) => witnessProgramScript(v, p)),
  );
  fc.assert(
    fc.property(script, fc.constantFrom([MAIN, REGTEST], [REGTEST, MAIN]), (script, [own, other]) => {
      const text = encodeAddress(script, own);
      if (text === null) return false;
      const back = decodeAddress(text, own);
      return !('error' in back) && hex(back.script) === hex(script) && 'error' in decodeAddress(text, other);
    }),
    { numRuns: 300 },
  );
  fc.assert(fc.property(fc.string({ maxLength: 120 }), (text) => 'error' in decodeAddress(text, MAIN)));
  t.pass('all of them');
});

t.test('returns null for a script that has no address', async (t) => {
  for (const script of [
    '',
    '51',
    '6a0568656c6c6f',
    `21${`02${KEY}`}ac`,
    `51210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179851ae`,
    '0003aabbcc',
  ]) {
    t.equal(encodeAddress(unhex(script), MAIN), null, script);
  }
});

t.test('rejects a malformed address with the message of Core', async (t) => {
  const error = (text: string): string | null => {
    const decoded = decodeAddress(text, MAIN);
    return 'error' in decoded ? decoded.error : null;
  };
  t.equal(error(' 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH\n'), null, 'white space is ignored, as Core does');
  t.equal(error(''), 'Invalid checksum or length of Base58 address (P2PKH or P2SH)');
  t.equal(error('1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMJ'), 'Invalid checksum or length of Base58 address (P2PKH or P2SH)');
  t.equal(error('mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r'), 'Invalid or unsupported Base58-encoded address.');
  t.equal(error('not an address'), 'Invalid or unsupported Segwit (Bech32) or Base58 encoding.');
  t.equal(error('tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'), 'Invalid or unsupported Segwit (Bech32) or Base58 encoding.');
  t.equal(error('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh'), 'Version 0 witness address must use Bech32 checksum');
  t.equal(error('bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4'), 'Invalid Base 32 character');
  t.equal(error('bc1pw5dgrnzv'), 'Invalid Bech32 address program size (1 byte)');
  t.equal(error('bc1gmk9yu'), 'Empty Bech32 data section');
});

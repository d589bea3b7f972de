// Signing: signatures equal to known ones, and for every kind of output and sighash type a signed input verifies.
import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { joinScript, plainPush, pushNumber, scriptHashScript, witnessProgramScript } from '../../../src/consensus/script/build-script.js';
import { STANDARD_SCRIPT_FLAGS } from '../../../src/consensus/script/flags.js';
import { OP } from '../../../src/consensus/script/opcodes.js';
import { SighashCache } from '../../../src/consensus/script/sighash.js';
import type { SpentOutput } from '../../../src/consensus/script/spent-output.js';
import { publicKeyHashScript } from '../../../src/consensus/script/templates.js';
import { verifyTxInput } from '../../../src/consensus/script/verify-input.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { combineTransactions, signTransaction, withInputs } from '../../../src/signing/sign-transaction.js';
import { encodeSignature } from '../../../src/signing/signature-creator.js';
import { FlatProvider } from '../../../src/signing/signing-provider.js';
import { hex, unhex } from '../../framework/hex.js';

const crypto = createNativeCrypto();
const keyMath = createKeyMath();
const signer = createSigner();
const tools = { crypto, signer };
const VECTORS = process.env.VECTORS ?? '../shared/vectors';
const EMPTY = new Uint8Array(0);

// Made by Bitcoin Core with counters 0, 1, 2, 3 and 8.
const KNOWN_SECRET = unhex('d2b8a0116d641fe7d3036f8464628fb595b480414c13a301b3d4038c811c28b0');
const KNOWN: readonly (readonly [message: string, der: string])[] = [
  [
    'f31719156d6311e21d9521b4c7cdff19c0a8b200a4557b52322269d08908ddbd',
    '30440220728dfbcfca11134ed816b07963dc8b146d8737f01731b0ca44f54354e65b4fcb022056f6b1f0524391ecaaacf9d156e191044810e2ad4fffad04cf963e6d04fe8e8a',
  ],
  [
    'b1cb26025b2f9ced7ca160850105dab46131882a145ea61a984ac5117d301ae3',
    '3044022038ffa4e88411997e298ca4c441b802029c447e6fc6fb1ab89c3509d1205b5936022047cd6fd5c74c3c86f0d04ec13fb94a87f96314b26d1837de99bd72030dc4921d',
  ],
  [
    '70c5f40b609ad291897ada1878302ae5b22696ccfeb7a2030506cebbd85152db',
    '304402205ec357408965668af1da54dc48585800e9ef44e1cfb871f0fbb5b12e4d791a65022039cb920ffd07addbcb46532e1148ddbc9697b1e1943877380a5ee61b3a8f548c',
  ],
  [
    '4bcba7d6e8dc70a382138e9a95e526045c4b841f03060d4d047368aaf048f495',
    '304402204eeda793283ecda8caf0380aea6b0562857497a9dc2606b2fa32e2aaf11730d402206f0cb5a1ab14c0fb46f8d3f6668960116afdd18fcf1da02ef21986998adf0bd7',
  ],
  [
    '85287844648e554d9ecab6644291cc4a97e910dfe95e43bfd2c9e131299280a6',
    '304402204ed7062412a7b502cee732694099e6e66082de4be93f69b4dc6aca5cba63713d0220087622889bf832e4d9478465ea4a6ab402efb765704403614dab61004113f2f4',
  ],
];

t.test('signs with the low-R signatures of Core and rejects invalid private keys', (t) => {
  for (const [message, der] of KNOWN) {
    const compact = signer.signLowR(KNOWN_SECRET, unhex(message));
    t.equal(compact && hex(encodeSignature(compact, 1)), `${der}01`);
  }
  t.equal(signer.signLowR(new Uint8Array(32), new Uint8Array(32)), null, 'zero is no key');
  t.equal(signer.signLowR(new Uint8Array(32).fill(255), new Uint8Array(32)), null, 'nor is what exceeds the order');
  t.equal(signer.signLowR(new Uint8Array(31), new Uint8Array(32)), null);
  t.end();
});

t.test(
  'signs the RFC 6979 vectors of low R with the expected signatures',
  { skip: existsSync(`${VECTORS}/crypto/ecdsa_sign_rfc6979.json`) ? false : 'no vectors' },
  (t) => {
    const rows = JSON.parse(readFileSync(`${VECTORS}/crypto/ecdsa_sign_rfc6979.json`, 'utf8')) as {
      d: string;
      m: string;
      signature: string;
    }[];
    let same = 0;
    for (const { d, m, signature } of rows) {
      const made = signer.signLowR(unhex(d), unhex(m));
      const publicKey = keyMath.publicKey(unhex(d), true);
      if (!made || !publicKey) {
        t.fail(`no signature for ${d}`);
        continue;
      }
      t.ok(made[0] < 0x80 && crypto.ecdsaVerify(made, publicKey, unhex(m)));
      // A vector with a high R is not what grinding stops at.
      if (unhex(signature)[0] < 0x80) {
        t.equal(hex(made), signature);
        same++;
      }
    }
    t.ok(same > 0);
    t.end();
  },
);

t.test(
  'signs the BIP-0143 examples with the expected signatures',
  { skip: existsSync(`${VECTORS}/sighash/bip143.json`) ? false : 'no vectors' },
  (t) => {
    interface Row {
      section: string;
      sighashes: { sigHash: string; hashType: number }[];
      privateKeys: string[];
      signatures: string[];
    }
    const rows = JSON.parse(readFileSync(`${VECTORS}/sighash/bip143.json`, 'utf8')) as Row[];
    let compared = 0;
    for (const { section, sighashes, privateKeys, signatures } of rows) {
      const made = new Set<string>();
      for (const { sigHash, hashType } of sighashes) {
        for (const secret of privateKeys) {
          const compact = signer.signLowR(unhex(secret), unhex(sigHash));
          if (compact) made.add(hex(encodeSignature(compact, hashType)));
        }
      }
      const hashTypes = new Set(sighashes.map(({ hashType }) => hashType));
      const comparable = signatures.filter((text) => text.startsWith('30440220') && hashTypes.has(Number.parseInt(text.slice(-2), 16)));
      if (made.size === 0 || sighashes.length < signatures.length) continue;
      for (const text of comparable) {
        t.ok(made.has(text), section);
        compared++;
      }
    }
    t.ok(compared > 0, `${compared} compared`);
    t.end();
  },
);

const secretOf = (n: number): Uint8Array => crypto.sha256(Uint8Array.of(n));
const publicOf = (n: number, compressed = true): Uint8Array => keyMath.publicKey(secretOf(n), compressed) ?? EMPTY;

function providerOf(secrets: readonly number[], scripts: readonly Uint8Array[] = []): FlatProvider {
  const keys = new FlatProvider();
  for (const n of secrets) {
    for (const publicKey of [publicOf(n), publicOf(n, false)]) {
      const id = hashKey(crypto.hash160(publicKey));
      keys.publicKeys.set(id, publicKey);
      keys.secrets.set(id, secretOf(n));
    }
  }
  for (const script of scripts) keys.scripts.set(hashKey(crypto.hash160(script)), script);
  return keys;
}

const multisig = (needed: number, keys: readonly Uint8Array[]): Uint8Array =>
  joinScript(pushNumber(needed), ...keys.map(plainPush), pushNumber(keys.length), OP.OP_CHECKMULTISIG);
const p2sh = (script: Uint8Array): Uint8Array => scriptHashScript(crypto.hash160(script));
const p2wsh = (script: Uint8Array): Uint8Array => witnessProgramScript(0, crypto.sha256(script));

const payToKey = (key: Uint8Array): Uint8Array => joinScript(plainPush(key), OP.OP_CHECKSIG);
const two = multisig(2, [publicOf(1), publicOf(2), publicOf(3)]);
const keyHash = publicKeyHashScript(crypto.hash160(publicOf(1)));
const program = witnessProgramScript(0, crypto.hash160(publicOf(1)));
const OUTPUTS: readonly (readonly [name: string, script: Uint8Array, scripts: readonly Uint8Array[]])[] = [
  ['p2pk', payToKey(publicOf(1)), []],
  ['p2pk, uncompressed', payToKey(publicOf(1, false)), []],
  ['p2pkh', keyHash, []],
  ['p2pkh, uncompressed', publicKeyHashScript(crypto.hash160(publicOf(1, false))), []],
  ['bare multisig', two, []],
  ['multisig in p2sh', p2sh(two), [two]],
  ['p2wpkh', program, []],
  ['p2wpkh in p2sh', p2sh(program), [program]],
  ['multisig in p2wsh', p2wsh(two), [two]],
  ['multisig in p2wsh in p2sh', p2sh(p2wsh(two)), [two, p2wsh(two)]],
  ['p2pkh in p2wsh', p2wsh(keyHash), [keyHash]],
  ['p2pk in p2sh', p2sh(payToKey(publicOf(1))), [payToKey(publicOf(1))]],
];

const SPENT: readonly SpentOutput[] = OUTPUTS.map(([, script], i) => ({ value: 100_000 + i, script }));
const SCRIPTS = OUTPUTS.flatMap(([, , scripts]) => scripts);

const UNSIGNED = parseTx(
  buildTx({
    version: 2,
    inputs: OUTPUTS.map((_, i) => ({ prevHash: new Uint8Array(32).fill(i + 1), prevIndex: i, scriptSig: EMPTY, sequence: 0xfffffffe })),
    outputs: OUTPUTS.map((_, i) => ({ value: 90_000 + i, script: keyHash })),
    locktime: 0,
  }),
  crypto,
);

async function sign(tx: TxView, keys: FlatProvider, hashType: number, spent: readonly (SpentOutput | null)[] = SPENT) {
  const inputs = await signTransaction(tx, spent, keys, hashType, tools);
  return { inputs, tx: parseTx(withInputs(tx, inputs), crypto) };
}

t.test('signs every kind of output with every sighash type so that it verifies', async (t) => {
  for (const hashType of [0, 1, 2, 3, 0x81, 0x82, 0x83]) {
    const { inputs, tx } = await sign(UNSIGNED, providerOf([1, 2, 3], SCRIPTS), hashType);
    const cache = new SighashCache(tx, crypto, SPENT);
    OUTPUTS.forEach(([name], i) => {
      t.equal(inputs[i].error, null, `${name} ${hashType}`);
      t.equal(verifyTxInput(tx, i, SPENT, STANDARD_SCRIPT_FLAGS, crypto, cache), 0, `${name} ${hashType} verifies`);
    });
    const again = await sign(tx, providerOf([]), 1);
    t.equal(hex(again.tx.bytes), hex(tx.bytes), 'signed inputs stay unchanged');
  }
});

t.test('SighashCache returns a cached hash only for equal input, script, type and amount', (t) => {
  const cache = new SighashCache(UNSIGNED, crypto, SPENT);
  const script = new Uint8Array(30).fill(0x51);
  const other = script.with(29, 0x52);
  for (const [name, hash] of [
    ['legacy', (input: number, code: Uint8Array, type: number) => cache.legacy(input, code, type)],
    ['segwit', (input: number, code: Uint8Array, type: number) => cache.segwitV0(input, code, 7, type)],
  ] as const) {
    const first = hash(0, script, 1);
    t.equal(hash(0, script.slice(), 1), first, `${name}: for the same bytes`);
    for (const [input, code, type] of [
      [0, other, 1],
      [0, script.subarray(1), 1],
      [1, script, 1],
      [0, script, 3],
    ] as const) {
      t.not(hex(hash(input, code, type)), hex(first), `${name}: not for another input, script or type`);
      t.equal(hex(hash(0, script, 1)), hex(first));
    }
  }
  t.not(hex(cache.segwitV0(0, script, 8, 1)), hex(cache.segwitV0(0, script, 7, 1)), 'not for another amount');
  t.not(hex(cache.legacy(0, script, 1)), hex(cache.segwitV0(0, script, 0, 1)), 'not for the other signature version');
  t.end();
});

t.test('signs multisig one key at a time in any order, and combines partial signatures', async (t) => {
  const whole = hex((await sign(UNSIGNED, providerOf([1, 2], SCRIPTS), 1)).tx.bytes);
  const first = await sign(UNSIGNED, providerOf([1], SCRIPTS), 1);
  const second = await sign(UNSIGNED, providerOf([2], SCRIPTS), 1);
  t.match(first.inputs[5].error, /possibly need more signatures/);
  t.equal(hex((await sign(first.tx, providerOf([2]), 1)).tx.bytes), whole, 'scripts come from the input');
  t.equal(hex((await sign(second.tx, providerOf([1], SCRIPTS), 1)).tx.bytes), whole);
  t.equal(hex(await combineTransactions([first.tx, second.tx], SPENT, crypto)), whole);
  t.equal(hex(await combineTransactions([second.tx, first.tx], SPENT, crypto)), whole);
});

t.test('reports why an input cannot be signed', async (t) => {
  const none = await sign(UNSIGNED, providerOf([]), 1);
  t.equal(none.inputs[2].error, 'Unable to sign input, invalid stack size (possibly missing key)');
  t.equal(none.inputs[6].error, 'Witness program hash mismatch');
  t.equal(none.inputs[8].error, 'Witness program was passed an empty witness');
  const gone = SPENT.map((output, i) => (i === 2 ? null : output));
  t.equal((await sign(UNSIGNED, providerOf([1, 2, 3], SCRIPTS), 1, gone)).inputs[2].error, 'Input not found or already spent');
  const uncompressed = witnessProgramScript(0, crypto.hash160(publicOf(1, false)));
  const spent = SPENT.map((output, i) => (i === 6 ? { value: 1, script: uncompressed } : output));
  t.equal(
    (await sign(UNSIGNED, providerOf([1, 2, 3], SCRIPTS), 1, spent)).inputs[6].witness.length,
    0,
    'segwit takes compressed keys only',
  );
});

t.test('does not sign with SINGLE an input that has no matching output', async (t) => {
  const fields = { version: 2, locktime: 0, outputs: [{ value: 1, script: keyHash }] };
  const inputs = [0, 1].map((n) => ({ prevHash: new Uint8Array(32).fill(9), prevIndex: n, scriptSig: EMPTY, sequence: 0 }));
  const spent = inputs.map(() => ({ value: 5, script: keyHash }));
  const signed = await sign(parseTx(buildTx({ ...fields, inputs }), crypto), providerOf([1]), 3, spent);
  t.equal(signed.inputs[0].error, null);
  t.equal(signed.inputs[1].scriptSig.length, 0);
  t.ok(signed.inputs[1].error);
});

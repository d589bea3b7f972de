// The largest satisfaction of a descriptor: Core's figures, and that no signer makes a larger one.
import t from 'tap';
import { inferDescriptor } from '../../../src/address/descriptor/infer.js';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import type { Satisfaction, SizeTerms } from '../../../src/address/descriptor/script-node.js';
import { compactSizeLength } from '../../../src/consensus/bytes/compact-size.js';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { produceSignature } from '../../../src/signing/produce-signature.js';
import { dummyTools } from '../../../src/signing/signature-creator.js';
import { emptySignatureData } from '../../../src/signing/signature-data.js';
import { FlatProvider, idsOfXOnly } from '../../../src/signing/signing-provider.js';
import { RandomDescriptors } from '../../compare/random-descriptors.js';
import { Dice } from '../../compare/transactions.js';
import { descriptorContext, hashes, mustParse } from '../../framework/descriptor-context.js';
import { testKey } from '../../framework/keys.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const LOW_R: SizeTerms = { signatureBytes: 71, exactPushes: false };
const EXACT: SizeTerms = { signatureBytes: 72, exactPushes: true };
const keyOf = (n: number): string => Buffer.from(testKey(n).publicKey).toString('hex');
const [A, B, C, D, E, F] = [1, 2, 3, 4, 5, 6].map(keyOf);
const UNCOMPRESSED = Buffer.from(testKey(1).uncompressed).toString('hex');
const X = A.slice(2);
const H32 = '07'.repeat(32);
const H20 = '07'.repeat(20);

const sizeOf = (text: string, terms: SizeTerms): Satisfaction | null => mustParse(text).descriptors[0]!.largestSatisfaction(terms);
const inWitness = (witness: number, elements: number, scriptSig = 0): Satisfaction => ({ scriptSig, witness, elements });

t.test('counts the same sizes as Core', async (t) => {
  const cases: [text: string, size: Satisfaction | null][] = [
    [`pk(${A})`, { scriptSig: 72, witness: 0, elements: 1 }],
    [`pkh(${A})`, { scriptSig: 106, witness: 0, elements: 2 }],
    [`pkh(${UNCOMPRESSED})`, { scriptSig: 138, witness: 0, elements: 2 }],
    [`wpkh(${A})`, inWitness(106, 2)],
    [`sh(wpkh(${A}))`, inWitness(106, 2, 23)],
    [`multi(1,${A},${B})`, { scriptSig: 73, witness: 0, elements: 2 }],
    // One byte pushes the script of 105 bytes.
    [`sh(multi(2,${A},${B},${C}))`, { scriptSig: 145 + 106, witness: 0, elements: 3 }],
    [`wsh(multi(2,${A},${B},${C}))`, inWitness(145 + 106, 4)],
    [`sh(wsh(multi(2,${A},${B},${C})))`, inWitness(145 + 106, 4, 35)],
    [`wsh(pkh(${A}))`, inWitness(106 + 26, 3)],
    // Scripts past 252 bytes have a length of three.
    [`wsh(multi(1,${[1, 2, 3, 4, 5, 6, 7, 8].map(keyOf).join()}))`, inWitness(73 + 275 + 3, 3)],
    [`tr(${X})`, inWitness(66, 1)],
    [`tr(${X},{pk(${B}),multi_a(2,${C},${D})})`, inWitness(66, 1)],
    [`rawtr(${X})`, inWitness(66, 1)],
    // Miniscript: signatures of 72 bytes, and 33 bytes of preimage.
    [`wsh(and_v(v:pk(${A}),hash256(${H32})))`, inWitness(73 + 33 + 75, 3)],
    [`wsh(c:or_i(pk_k(${A}),or_i(pk_h(${B}),or_i(pk_h(${C}),pk_h(${D})))))`, inWitness(1 + 1 + 109 + 117, 6)],
    // Three signatures satisfy the threshold, with a zero for j; a preimage would be smaller. Script of 250 bytes.
    [
      `wsh(and_v(v:multi(2,${A},${B},${C}),thresh(3,pk(${D}),s:pk(${E}),sjtv:ripemd160(${H20}),s:pk(${F}))))`,
      inWitness(147 + 3 * 73 + 1 + 251, 8),
    ],
    ['raw(51)', null],
    [`combo(${A})`, null],
    [`unused(${A})`, null],
  ];
  for (const [text, size] of cases) t.same(sizeOf(text, LOW_R), size, text);
});

t.test('counts every byte of a push and signatures of any R when asked to', async (t) => {
  t.same(sizeOf(`sh(multi(2,${A},${B},${C}))`, EXACT), { scriptSig: 147 + 107, witness: 0, elements: 3 });
  t.same(sizeOf(`sh(pk(${A}))`, EXACT), { scriptSig: 73 + 36, witness: 0, elements: 1 });
  t.equal(sizeOf(`sh(multi(1,${[1, 2, 3, 4, 5, 6, 7, 8].map(keyOf).join()}))`, EXACT)?.scriptSig, 74 + 275 + 3);
});

/**
 * Makes the witness of a signer with some keys and preimages, and signatures of the largest size; null if they are not
 * enough.
 */
function signWith(script: Uint8Array, provider: FlatProvider, holds: (thing: Uint8Array) => boolean): Satisfaction | null {
  const data = emptySignatureData();
  const made = produceSignature(script, data, {
    ...dummyTools(provider, hashes),
    create: (id) => (holds(id) ? new Uint8Array(EXACT.signatureBytes) : null),
    createSchnorr: (key) => (idsOfXOnly(key, hashes).some(holds) ? new Uint8Array(65) : null),
    preimage: (_fragment, hash) => (holds(hash) ? new Uint8Array(32) : undefined),
  });
  if (!made) return null;
  const witness = data.witness.reduce((sum, { length }) => sum + compactSizeLength(length) + length, 0);
  return { scriptSig: data.scriptSig.length, witness, elements: data.witness.length };
}

t.test('is never smaller than a real satisfaction, for any set of keys and preimages', async (t) => {
  const dice = new Dice(pseudoRandom(31));
  const random = new RandomDescriptors(dice);
  const context = descriptorContext('master', 'regtest');
  const counts = { signed: 0, miniscript: 0, largest: 0 };
  for (let i = 0; i < 6000; i++) {
    const text = random.text();
    const parsed = parseDescriptor(text, context);
    if ('error' in parsed) continue;
    const expansion = parsed.descriptors[0]!.expand(0, { secrets: parsed.secrets });
    // Inputs of tr() are taken for spends by the key path; combo() has no size of its own.
    if (expansion === null || expansion.scripts.length !== 1 || expansion.taproot !== null) continue;
    const provider = new FlatProvider();
    provider.addExpansion(expansion, hashes);
    const [script] = expansion.scripts as [Uint8Array];
    const most = inferDescriptor(script, provider, context).largestSatisfaction(EXACT);
    if (most === null) continue;
    for (let attempt = 0; attempt < 8; attempt++) {
      const held = new Map<string, boolean>();
      const holds = (thing: Uint8Array): boolean => {
        const known = held.get(hashKey(thing)) ?? dice.chance(0.7);
        held.set(hashKey(thing), known);
        return known;
      };
      const made = signWith(script, provider, holds);
      if (made === null) continue;
      counts.signed++;
      if (!/multi|^(sh\()?(wsh\()?w?pkh?\(/.test(text)) counts.miniscript++;
      if (made.scriptSig === most.scriptSig && made.witness === most.witness) counts.largest++;
      if (made.scriptSig <= most.scriptSig && made.witness <= most.witness && made.elements <= most.elements) continue;
      t.same(made, most, `${text}: larger than the maximum`);
    }
  }
  t.ok(counts.signed > 1000 && counts.miniscript > 200, `${counts.signed} signed, ${counts.miniscript} of them miniscript`);
  t.ok(counts.largest > 500 && counts.largest < counts.signed, `${counts.largest} of the largest size`);
});

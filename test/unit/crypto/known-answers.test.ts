// A library that does not know the curve is found out before it judges a signature.

import t from 'tap';
import type { Curve } from '../../../src/crypto/crypto.js';
import { knowsEcdsa, knowsSchnorr } from '../../../src/crypto/native/known-answers.js';
import { backends } from '../../framework/backends.js';

const pick = ({
  ecdsaVerify,
  isPoint,
  schnorrVerify,
  tapTweakCheck,
}: Curve): Pick<Curve, 'ecdsaVerify' | 'isPoint' | 'schnorrVerify' | 'tapTweakCheck'> => ({
  ecdsaVerify,
  isPoint,
  schnorrVerify,
  tapTweakCheck,
});

t.test('every backend knows the answers', (t) => {
  for (const { name, crypto } of backends()) {
    if (crypto === null) continue;
    t.equal(knowsEcdsa(crypto), true, name);
    t.equal(knowsSchnorr(crypto), true, name);
  }
  t.end();
});

t.test('one function that always gives the same answer is enough to be refused', (t) => {
  for (const { name, crypto } of backends()) {
    if (crypto === null) continue;
    for (const answer of [true, false]) {
      const stuck = () => answer;
      for (const part of ['ecdsaVerify', 'isPoint'] as const)
        t.equal(knowsEcdsa({ ...pick(crypto), [part]: stuck }), false, `${name} ${part} ${answer}`);
      for (const part of ['schnorrVerify', 'tapTweakCheck'] as const)
        t.equal(knowsSchnorr({ ...pick(crypto), [part]: stuck }), false, `${name} ${part} ${answer}`);
    }
  }
  t.end();
});

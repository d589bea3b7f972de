// Evaluation of replayed recordings: the set of matching calls is pinned, and private keys and errors are recognised.
import t from 'tap';
import { errorLines, grown, hidesKeys, judge } from '../../conformance/expected.js';

t.test('judge reports calls that no longer match their pinned result', async (t) => {
  const pinned = { calls: 9, differ: [3, 7] };
  t.same(judge(pinned, { calls: 9, differ: [3, 7] }), []);
  t.same(judge(pinned, { calls: 9, differ: [3] }), [], 'one more');
  t.same(grown(pinned, { calls: 9, differ: [3] }), [7]);
  t.same(judge(pinned, { calls: 9, differ: [3, 8] }), ['no longer the same: call 8'], 'as many, but others');
  t.same(judge(pinned, { calls: 8, differ: [3, 7] }), ['8 calls, not 9'], 'a recording that was cut');
  t.same(judge(undefined, { calls: 9, differ: [] }), ['not in expected.json: run with --update']);
});

t.test('hides private keys in error replies, and nothing else', async (t) => {
  const wif = 'cT3Cg7B3xi4vWN9f7z2VgeU9xubmkSzJ2yG6aEreGFddDT5ZQpKo';
  const plain = '5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss';
  const secret = 'xprv9s21ZrQH143K44LgHfpcj4jrWBxRu6mk3EFKy8NM9bRrSdY7qvxtLZHFCYNmByWyRRAbpmL2hDrVVCuSAecyQtmcMsnoL84Dp5wfDAtmZg2';
  const open = 'xpub661MyMwAqRbcGYR9PhMd6Cgb4DnvJZVbQTAvmWmxhvxqKRsGPUH8tMbj3rDt8Tsu4F1ewXBv6d7RdnwBn9BcK2SYRejeFzadVmjN5HksgEk';
  const error = (text: string): string => `{"error":{"code":-5,"message":"key '${text}' is not valid"}}`;
  for (const key of [wif, plain, secret]) t.equal(hidesKeys(error(key), `["pkh(${key})"]`), error('(private key)'));
  t.equal(hidesKeys(error(wif), '["another"]'), null, 'a key that the request did not bring');
  t.equal(hidesKeys(`{"result":"${wif}"}`, wif), null, 'not an error');
  for (const other of [open, 'ab'.repeat(32), '7'.repeat(64), 'zz'.repeat(32), 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080xxxxxxxxxxx'])
    t.equal(hidesKeys(error(other), `["${other}"]`), null, other);
});

t.test('finds error lines in a log', async (t) => {
  const log = [
    '2026-11-22T10:00:00Z Warning: a warning',
    '2026-11-22T10:00:00Z [http] Error: a word of a category',
    '2026-11-22T10:00:00Z Message: Error: within a line',
    '2026-11-22T10:00:01Z Error: it went wrong',
    '2026-11-22T10:00:02.123456Z (mocktime: 2020-01-01T00:00:00Z) [main] Error: and again',
  ];
  t.same(errorLines(log.join('\n')), [log[3], log[4]]);
});

// Tests queries for outputs across threads: calls within one event-loop tick are combined into one query, and each gets
// its own answers.
import t from 'tap';
import type { SpentOutput } from '../../../src/consensus/script/spent-output.js';
import { answerOutputs, OutputQueries } from '../../../src/wallet/output-queries.js';

const outpoint = (n: number): Uint8Array => new Uint8Array(36).fill(n);
/** Finds the outputs with an even number. */
const look = async (outpoints: readonly Uint8Array[]): Promise<(SpentOutput | null)[]> =>
  outpoints.map(([n]) => (n % 2 === 0 ? { value: n * 100_000_000_000, script: new Uint8Array(n * 3).fill(n) } : null));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('combines the output queries of one event-loop tick', async (t) => {
  const asked: number[] = [];
  const questions = new OutputQueries((packed) => {
    asked.push(packed.length / 36);
    return answerOutputs(packed, look);
  });
  const calls = [[2, 3], [], [100], [3, 4, 2]];
  const answers = await Promise.all(calls.map((call) => questions.outputs(call.map(outpoint))));
  t.same(asked, [6]);
  for (const [i, call] of calls.entries()) t.same(answers[i], await look(call.map(outpoint)), `${call}`);
  await turn();
  const [only] = await questions.outputs([outpoint(4)]);
  t.same(only, { value: 400_000_000_000, script: new Uint8Array(12).fill(4) });
  t.same(asked, [6, 1]);
});

t.test('a failed query rejects every call that shares it, and no later one', async (t) => {
  let broken = true;
  const questions = new OutputQueries((packed) => (broken ? Promise.reject(new Error('no disk')) : answerOutputs(packed, look)));
  const calls = [questions.outputs([outpoint(1)]), questions.outputs([outpoint(2)])];
  for (const call of calls) await t.rejects(call, /no disk/);
  broken = false;
  t.same(await questions.outputs([outpoint(1)]), [null]);
});

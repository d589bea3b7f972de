// The index against a map from texts: random insertions and deletions over few outpoints, so that they meet.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { MempoolEntry } from '../../../src/mempool/entry.js';
import { SpenderIndex } from '../../../src/mempool/spender-index.js';

/** Bytes with three outpoints between other bytes. */
function entryOf(picks: readonly number[]): { entry: MempoolEntry; keys: [string, number, Uint8Array][] } {
  const bytes = new Uint8Array(7 + 5 + picks.length * 41);
  const keys = picks.map((pick, i): [string, number, Uint8Array] => {
    const outpoint = new Uint8Array(36).fill(pick % 7);
    outpoint[32] = pick;
    bytes.set(outpoint, 7 + 5 + i * 41);
    return [String(pick), 5 + i * 41, outpoint];
  });
  return { entry: { segment: { bytes }, offset: 7 } as unknown as MempoolEntry, keys };
}

t.test('random changes', async () => {
  const step = fc.record({ add: fc.boolean(), picks: fc.uniqueArray(fc.nat(200), { minLength: 1, maxLength: 3 }), which: fc.nat(500) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const index = new SpenderIndex();
      const model = new Map<string, MempoolEntry>();
      const here: ReturnType<typeof entryOf>[] = [];
      for (const { add, picks, which } of steps) {
        if (add || here.length === 0) {
          const one = entryOf(picks);
          here.push(one);
          for (const [key, position] of one.keys) {
            index.set(one.entry, position);
            model.set(key, one.entry);
          }
        } else {
          const [one] = here.splice(which % here.length, 1);
          for (const [key, position] of one.keys) {
            index.delete(one.entry, position);
            if (model.get(key) === one.entry) model.delete(key);
          }
        }
        assert.equal(index.size, model.size);
        for (let pick = 0; pick <= 200; pick++) {
          const [[key, , outpoint]] = entryOf([pick]).keys;
          assert.equal(index.get(outpoint), model.get(key));
        }
      }
    }),
    { numRuns: 40 },
  );
});

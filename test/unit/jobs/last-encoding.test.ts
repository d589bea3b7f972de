// The assembler's memory of the previous template.
import t from 'tap';
import { merkleRoot } from '../../../src/consensus/block/merkle.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import type { AssembleMirror } from '../../../src/jobs/assemble-mirror.js';
import { LastEncoding } from '../../../src/jobs/last-encoding.js';

const hashes = createNativeHashes();
/** Returns the wtxid of a slot; its txid is the same. */
const idOf = (slot: number): Uint8Array => new Uint8Array(32).fill(slot + 1);

t.test('does not reuse an encoding after a failure partway', async (t) => {
  let missing = -1;
  const mirror = {
    epoch: 1,
    candidates: { generation: new Int32Array(8), offset: new Float64Array(8) },
    segmentOf: (slot: number) => {
      if (slot === missing) throw new Error('no segment');
      return Uint8Array.from([...idOf(slot), ...idOf(slot)]);
    },
  } as unknown as AssembleMirror;
  const last = new LastEncoding(hashes);
  const remember = (list: number[]): Uint8Array => {
    const slots = Int32Array.from(list);
    const prefix = last.commonPrefix(mirror, slots, true);
    const encoded = { bytes: new Uint8Array(10), ends: slots, unchanged: 0, prefix };
    return last.remember(mirror, slots, true, encoded, true).witnessRoot;
  };
  const rootOf = (list: number[]): Uint8Array => merkleRoot([new Uint8Array(32), ...list.map(idOf)], hashes).root;
  t.same(remember([0, 1]), rootOf([0, 1]));
  missing = 3;
  t.throws(() => remember([2, 3]), { message: 'no segment' });
  t.same(remember([0]), rootOf([0]));
});

// Checks that the model of a disk leaves nothing of a file that a real disk could not leave.
import t from 'tap';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { Disk, MOODS } from './disk.js';

t.test('leaves each sector in a state that it once had', (t) => {
  const writes = [...'abcdefgh'].map((letter, i) => ({ at: 100 * i, bytes: Buffer.alloc(100, letter) }));
  const states = writes.map((_, n) => {
    const bytes = Buffer.alloc(800);
    for (const write of writes.slice(0, n)) write.bytes.copy(bytes, write.at);
    return bytes;
  });
  states.push(Buffer.concat(writes.map(({ bytes }) => bytes)));
  const disk = new Disk({ root: '/d', inode: 1, entries: [{ file: '/d/log', inode: 2, bytes: Buffer.alloc(0) }] }, 'ordered');
  for (const write of writes) disk.apply({ kind: 'write', inode: 2, ...write });
  const seen = new Set<string>();
  const random = pseudoRandom(1);
  const wrong: string[] = [];
  for (let i = 0; i < 2_000; i++) {
    for (const mood of MOODS) {
      const left = Buffer.alloc(800);
      (disk.cut(mood, random).get('log') as Buffer).copy(left);
      for (const [from, to] of [
        [0, 512],
        [512, 800],
      ] as const) {
        const sector = left.subarray(from, to);
        if (!states.some((state) => state.subarray(from, to).equals(sector))) wrong.push(`${mood}: ${sector.toString('hex')}`);
      }
      seen.add(left.toString('latin1'));
    }
  }
  t.same(wrong.slice(0, 2), []);
  // Either sector in each of its states, and most pairs of them.
  t.ok(seen.size > 20, `${seen.size} different files`);
  t.end();
});

// Maps lists in slices on the node thread. The caller must make sure that the data does not change meanwhile (a block's
// bytes, a list that was copied before).
import { Slicer } from '../../lib/slicer.js';

export { Slicer };

/** Maps a list in slices. @param yieldToUrgent see Slicer */
export const mapSliced = <T, R>(items: readonly T[], map: (item: T, i: number) => R, yieldToUrgent?: () => unknown): Promise<R[]> =>
  mapInSlices(items, map, new Slicer(yieldToUrgent));

/** Maps a list in slices with a shared slicer. */
export async function mapInSlices<T, R>(items: ArrayLike<T>, map: (item: T, i: number) => R, slicer: Slicer): Promise<R[]> {
  const out: R[] = [];
  for (let i = 0; i < items.length; i++) {
    out.push(map(items[i], i));
    if (slicer.due) await slicer.pause();
  }
  return out;
}

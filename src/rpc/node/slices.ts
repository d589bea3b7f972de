// Lists mapped in turns on the node thread. The data worked on is pinned by the caller (a block's bytes, a list made
// before).
import { Slicer } from '../../lib/slicer.js';

export { Slicer };

/** Maps a list in slices. @param yieldToUrgent as Slicer's */
export const mapSliced = <T, R>(items: readonly T[], map: (item: T, i: number) => R, yieldToUrgent?: () => unknown): Promise<R[]> =>
  mapInSlices(items, map, new Slicer(yieldToUrgent));

/** The same with a slicer that is shared. */
export async function mapInSlices<T, R>(items: ArrayLike<T>, map: (item: T, i: number) => R, slicer: Slicer): Promise<R[]> {
  const out: R[] = [];
  for (let i = 0; i < items.length; i++) {
    out.push(map(items[i], i));
    if (slicer.due) await slicer.pause();
  }
  return out;
}

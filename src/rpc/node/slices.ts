// Lists mapped in turns on the node thread. The data worked on is pinned by the caller (a block's bytes, a list made before).
import { Slicer } from '../../lib/slicer.js';

export { Slicer };

/** Maps a list in slices. @param breathe as Slicer's */
export async function mapSliced<T, R>(items: readonly T[], map: (item: T, i: number) => R, breathe?: () => unknown): Promise<R[]> {
  const slicer = new Slicer(breathe);
  const out: R[] = [];
  for (let i = 0; i < items.length; i++) {
    out.push(map(items[i], i));
    if (slicer.due) await slicer.pause();
  }
  return out;
}

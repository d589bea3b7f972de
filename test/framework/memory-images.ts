// Keeps images of a wallet's tables in memory, as copies, for tests that load a wallet again and again.
import type { ImageFiles } from '../../src/wallet/image/image-file.js';
import { columnWithCapacity, type ImageColumn, typeOf } from '../../src/wallet/image/table-image.js';

const nameOf = (id: Uint8Array): string => Buffer.from(id).toString('hex');
const copyColumn = ({ column, secret }: ImageColumn): ImageColumn => {
  const copy = columnWithCapacity(typeOf(column), column.length);
  copy.set(column);
  return { column: copy, secret };
};

export class MemoryImages implements ImageFiles {
  readonly #kept = new Map<string, ImageColumn[]>();
  /** Number of images that were read. */
  restored = 0;

  async write(id: Uint8Array, columns: readonly ImageColumn[]): Promise<void> {
    this.#kept.set(nameOf(id), columns.map(copyColumn));
  }
  async read(id: Uint8Array): Promise<ImageColumn[] | null> {
    const kept = this.#kept.get(nameOf(id));
    if (kept) this.restored++;
    return kept?.map(copyColumn) ?? null;
  }
  async deleteAllExcept(id: Uint8Array | null): Promise<void> {
    for (const name of this.#kept.keys()) if (id === null || name !== nameOf(id)) this.#kept.delete(name);
  }
}

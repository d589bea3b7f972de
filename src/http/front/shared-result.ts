/** A rendered result. Replies that contain it share its parts. */
export class SharedResult {
  readonly parts: readonly Uint8Array[];
  readonly byteLength: number;

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
    this.byteLength = parts.reduce((sum, part) => sum + part.byteLength, 0);
  }
}

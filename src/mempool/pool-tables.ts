// The tables of the mempool that its order and its replies are made from. The node thread reads them in place. Another
// thread reads a copy of one moment; the records are not copied, because their bytes in shared memory never change.
import { LinkTable } from './link-table.js';
import { compareIds, type RecordArena } from './record-arena.js';
import { Rows } from './rows.js';

export interface PoolTables {
  readonly rows: Rows;
  readonly links: LinkTable;
  readonly records: {
    readonly arena: { bytesOf(row: number): Uint8Array };
    compareIds(a: number, b: number): number;
  };
}

/** A copy of the tables, as a message. It lies in shared memory, so that a message does not copy it again. */
export interface PoolCopy {
  /** Columns of the first `top` rows. */
  readonly columns: SharedArrayBuffer;
  readonly top: number;
  readonly links: Int32Array;
  readonly segments: readonly (SharedArrayBuffer | null)[];
}

/** Tables with the segments of their records. */
export interface WholeTables extends PoolTables {
  readonly records: PoolTables['records'] & { readonly arena: Pick<RecordArena, 'segmentCount' | 'segment'> };
}

/** Copies the tables: about 180 bytes a row. */
export function copyTables({ rows, links, records: { arena } }: WholeTables): PoolCopy {
  const segments = Array.from({ length: arena.segmentCount }, (_, number) => arena.segment(number));
  return { columns: rows.copyColumns(), top: rows.top, links: links.copyLinks(), segments };
}

const NOTHING = new Uint8Array(0);

/** Returns tables that read from a copy. */
export function tablesOf({ columns, top, links, segments }: PoolCopy): PoolTables {
  const rows = Rows.of(columns, top);
  const bytes = segments.map((segment) => (segment === null ? NOTHING : new Uint8Array(segment)));
  const arena = { bytesOf: (row: number): Uint8Array => bytes[rows.segment[row]] };
  return { rows, links: new LinkTable(rows, links), records: { arena, compareIds: (a, b) => compareIds(rows, arena, a, b) } };
}

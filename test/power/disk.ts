// A file system in memory that separates what is on the disk from what only the kernel has, and computes what a power
// cut may leave of both.
//
// POSIX promises this on the disk: the bytes and the size of a file as they were when its last finished fsync began,
// and the names of a folder as they were when its last finished fsync began. All else may be there or not: each page or
// sector of 512 bytes in any state since then, each size in between, each name. Atomic changes stay atomic: a rename
// shows on both sides or on neither, and names that changed twice changed in order. There are two kinds of file
// systems:
//
//   strict    only the folder's fsync keeps a name; each name that was not synced is kept or lost by itself
//   ordered   names change in one order (the journal of ext4 or XFS): any fsync keeps all names before it, a cut keeps
//             the first of the others
import fs from 'node:fs';
import path from 'node:path';
import type { Change } from './journal.js';

export type Names = 'strict' | 'ordered';

/** How much of what was not synced is kept: nothing, all, all up to a moment, or anything. */
export const MOODS = ['lost', 'kept', 'torn', 'any'] as const;
export type Mood = (typeof MOODS)[number];

const SECTOR = 512;
const PAGE = 4096;

type DataChange = { readonly order: number } & (
  | { readonly at: number; readonly bytes: Buffer }
  | { readonly size: number; readonly grow: boolean }
);

/** Bytes that grow. */
class Content {
  #room: Buffer;
  size: number;
  constructor(bytes: Buffer) {
    this.#room = Buffer.from(bytes);
    this.size = bytes.length;
  }
  get bytes(): Buffer {
    return this.#room.subarray(0, this.size);
  }
  resize(size: number): void {
    if (size > this.#room.length) {
      const room = Buffer.alloc(Math.max(size, 2 * this.#room.length));
      this.bytes.copy(room);
      this.#room = room;
    } else if (size < this.size) this.#room.fill(0, size, this.size);
    this.size = size;
  }
  write(at: number, bytes: Buffer): void {
    if (at + bytes.length > this.size) this.resize(at + bytes.length);
    bytes.copy(this.#room, at);
  }
  apply(change: DataChange): void {
    if ('bytes' in change) this.write(change.at, change.bytes);
    else if (!change.grow || change.size > this.size) this.resize(change.size);
  }
}

class File {
  readonly synced: Content;
  pending: DataChange[] = [];
  constructor(bytes: Buffer) {
    this.synced = new Content(bytes);
  }
  sync(before: number): void {
    for (const change of this.pending) if (change.order < before) this.synced.apply(change);
    this.pending = this.pending.filter(({ order }) => order >= before);
  }
  current(): Buffer {
    const content = new Content(this.synced.bytes);
    for (const change of this.pending) content.apply(change);
    return content.bytes;
  }
}

class Folder {
  readonly current = new Map<string, Node>();
  readonly synced = new Map<string, Node>();
}

type Node = File | Folder;

/** Names that change together. A null takes the name away. */
interface NameChange {
  readonly order: number;
  readonly edits: readonly { readonly folder: Folder; readonly name: string; readonly node: Node | null }[];
}

const put = (entries: Map<string, Node>, name: string, node: Node | null): void => {
  if (node === null) entries.delete(name);
  else entries.set(name, node);
};

/** A folder as it lies there, folders before what is in them. */
export interface Seen {
  readonly root: string;
  readonly inode: number;
  /** Absolute paths; the bytes of a folder are null. */
  readonly entries: readonly { readonly file: string; readonly inode: number; readonly bytes: Buffer | null }[];
}

export function see(root: string): Seen {
  const entries = fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return { file, inode: fs.statSync(file).ino, bytes: entry.isDirectory() ? null : fs.readFileSync(file) };
    })
    .sort((a, b) => a.file.length - b.file.length);
  return { root, inode: fs.statSync(root).ino, entries };
}

export class Disk {
  readonly #root: string;
  readonly #top = new Folder();
  readonly #inodes = new Map<number, Node>();
  #names: NameChange[] = [];
  readonly #syncs = new Map<bigint, { readonly order: number; readonly node: Node }>();
  #order = 0;
  readonly #kind: Names;

  /** @param seen the folder, all of it on the disk */
  constructor(seen: Seen, kind: Names) {
    this.#root = seen.root;
    this.#kind = kind;
    this.#inodes.set(seen.inode, this.#top);
    for (const { file, inode, bytes } of seen.entries) {
      const node = bytes === null ? new Folder() : new File(bytes);
      const { folder, name } = this.#edit(file, node);
      this.#inodes.set(inode, node);
      folder.current.set(name, node);
      folder.synced.set(name, node);
    }
  }

  /** Takes the next record. @throws what the model does not follow */
  apply(change: Change): void {
    const order = ++this.#order;
    switch (change.kind) {
      case 'create':
      case 'mkdir': {
        const node = change.kind === 'mkdir' ? new Folder() : new File(Buffer.alloc(0));
        this.#inodes.set(change.inode, node);
        this.#rename(order, [this.#edit(change.path, node)]);
        break;
      }
      case 'link':
        this.#rename(order, [this.#edit(change.path, this.#node(change.inode))]);
        break;
      case 'rename':
        this.#rename(order, [this.#edit(change.from, null), this.#edit(change.path, this.#node(change.inode))]);
        break;
      case 'remove':
        this.#rename(order, [this.#edit(change.path, null)]);
        break;
      case 'write':
        this.#file(change.inode).pending.push({ order, at: change.at, bytes: change.bytes });
        break;
      case 'truncate':
      case 'extend':
        this.#file(change.inode).pending.push({ order, size: change.size, grow: change.kind === 'extend' });
        break;
      case 'sync begins':
        this.#syncs.set(change.number, { order, node: this.#node(change.inode) });
        break;
      case 'sync ends':
        this.#sync(change.number);
        break;
      case 'mapped':
      case 'stream':
        throw new Error(`a file is written in a way that is not followed (${change.kind})`);
      case 'said':
        break;
    }
  }

  #node(inode: number): Node {
    const node = this.#inodes.get(inode);
    if (node === undefined) throw new Error(`inode ${inode} was never seen`);
    return node;
  }
  #file(inode: number): File {
    const node = this.#node(inode);
    if (node instanceof Folder) throw new Error(`inode ${inode} is a folder`);
    return node;
  }

  #edit(file: string, node: Node | null): NameChange['edits'][number] {
    const parts = path.relative(this.#root, file).split(path.sep);
    const name = parts.pop() as string;
    let folder = this.#top;
    for (const part of parts) {
      const next = folder.current.get(part);
      if (!(next instanceof Folder)) throw new Error(`${file}: ${part} is no folder`);
      folder = next;
    }
    return { folder, name, node };
  }

  #rename(order: number, edits: NameChange['edits']): void {
    for (const { folder, name, node } of edits) put(folder.current, name, node);
    this.#names.push({ order, edits });
  }

  #sync(number: bigint): void {
    const begun = this.#syncs.get(number);
    if (begun === undefined) throw new Error('a sync ends that never began');
    this.#syncs.delete(number);
    const { node, order: before } = begun;
    if (node instanceof File) node.sync(before);
    const wanted = ({ order, edits }: NameChange): boolean =>
      order < before && (this.#kind === 'ordered' || edits.some(({ folder }) => folder === node));
    const kept = this.#withCauses(wanted);
    for (const change of kept) for (const { folder, name, node } of change.edits) put(folder.synced, name, node);
    this.#names = this.#names.filter((change) => !kept.has(change));
  }

  /** Changes of names that are wanted, and those before them that touched the same names, in order. */
  #withCauses(wanted: (change: NameChange) => boolean): Set<NameChange> {
    const kept: NameChange[] = [];
    for (const change of this.#names.toReversed()) {
      const follows = kept.some(({ edits }) =>
        edits.some((one) => change.edits.some((other) => one.folder === other.folder && one.name === other.name)),
      );
      if (follows || wanted(change)) kept.push(change);
    }
    return new Set(kept.reverse());
  }

  /** Everything as the running system shows it, by paths below the folder; a folder is null. */
  current(): Map<string, Buffer | null> {
    return list(
      this.#top,
      (folder) => folder.current,
      (file) => file.current(),
    );
  }

  /** The files that a cut leaves for sure, as far as their names are kept too. */
  surely(): Map<string, Buffer | null> {
    return list(
      this.#top,
      (folder) => folder.synced,
      (file) => file.synced.bytes,
    );
  }

  /**
   * Returns a state that a power cut at this moment may leave.
   * @param random numbers in [0, 1)
   */
  cut(mood: Mood, random: () => number): Map<string, Buffer | null> {
    const names = this.#cutNames(mood, random);
    const entries = new Map<Folder, Map<string, Node>>();
    const of = (folder: Folder): Map<string, Node> => {
      const known = entries.get(folder) ?? new Map(folder.synced);
      entries.set(folder, known);
      return known;
    };
    for (const { edits } of names) for (const { folder, name, node } of edits) put(of(folder), name, node);
    const left = new Map<File, Buffer>();
    return list(this.#top, of, (file) => {
      const bytes = left.get(file) ?? cutFile(file, mood, random);
      left.set(file, bytes);
      return bytes;
    });
  }

  #cutNames(mood: Mood, random: () => number): Iterable<NameChange> {
    if (mood === 'lost') return [];
    if (mood === 'kept') return this.#names;
    if (this.#kind === 'ordered') return this.#names.slice(0, Math.floor(random() * (this.#names.length + 1)));
    const share = random();
    return this.#withCauses(() => random() < share);
  }
}

function list(
  top: Folder,
  entriesOf: (folder: Folder) => ReadonlyMap<string, Node>,
  bytesOf: (file: File) => Buffer,
): Map<string, Buffer | null> {
  const found = new Map<string, Buffer | null>();
  const walk = (folder: Folder, prefix: string): void => {
    for (const [name, node] of entriesOf(folder)) {
      found.set(prefix + name, node instanceof Folder ? null : Buffer.from(bytesOf(node)));
      if (node instanceof Folder) walk(node, `${prefix}${name}${path.sep}`);
    }
  };
  walk(top, '');
  return found;
}

function cutFile(file: File, mood: Mood, random: () => number): Buffer {
  const { pending } = file;
  if (mood === 'lost' || pending.length === 0) return file.synced.bytes;
  if (mood === 'kept') return file.current();
  const content = new Content(file.synced.bytes);
  // A file whose pages the system wrote back at some time, the last of them in part.
  if (mood === 'torn') {
    const last = Math.floor(random() * pending.length);
    for (const change of pending.slice(0, last)) content.apply(change);
    const change = pending[last] as DataChange;
    if ('bytes' in change) {
      // Sectors are those of the file.
      const end = Math.floor((change.at + random() * (change.bytes.length + SECTOR)) / SECTOR) * SECTOR;
      if (end > change.at) content.write(change.at, change.bytes.subarray(0, end - change.at));
    }
    return content.bytes;
  }
  const share = random();
  const piece = random() < 0.3 ? SECTOR : PAGE;
  // A page, or a sector of it, goes to the disk as it stands: where one change is missing, so are all that came later.
  const behind = new Set<number>();
  let longest = content.size;
  for (const change of pending) {
    if (!('bytes' in change)) {
      if (random() < share) content.apply(change);
      longest = Math.max(longest, change.size);
      continue;
    }
    longest = Math.max(longest, change.at + change.bytes.length);
    for (let at = change.at; at < change.at + change.bytes.length; ) {
      const number = Math.floor(at / piece);
      const end = Math.min(change.at + change.bytes.length, (number + 1) * piece);
      if (random() >= share) behind.add(number);
      if (!behind.has(number)) content.write(at, change.bytes.subarray(at - change.at, end - change.at));
      at = end;
    }
  }
  // The size may have reached the disk before the bytes.
  if (random() < 0.3 && longest > content.size) content.resize(longest);
  return content.bytes;
}

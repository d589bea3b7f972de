// Reads what the layer below a daemon wrote down (shim.c), and adds to it what the daemon acknowledged.
import fs from 'node:fs';

const HEAD_BYTES = 24;

/** A call to the kernel, in order. Paths are absolute; offsets and sizes are bytes. */
export type Change =
  | { readonly kind: 'create' | 'mkdir'; readonly inode: number; readonly path: string }
  | { readonly kind: 'write'; readonly inode: number; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate' | 'extend'; readonly inode: number; readonly size: number }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'rename' | 'link'; readonly inode: number; readonly from: string; readonly path: string }
  | { readonly kind: 'sync begins' | 'sync ends'; readonly inode: number; readonly number: bigint }
  | { readonly kind: 'mapped' | 'stream'; readonly inode: number }
  | { readonly kind: 'said'; readonly what: unknown };

const KINDS: Readonly<Record<string, Change['kind']>> = {
  O: 'create',
  D: 'mkdir',
  W: 'write',
  T: 'truncate',
  Z: 'extend',
  U: 'remove',
  R: 'rename',
  L: 'link',
  B: 'sync begins',
  E: 'sync ends',
  M: 'mapped',
  F: 'stream',
  A: 'said',
};

/** All records of a file. */
export function readJournal(file: string): Change[] {
  const bytes = fs.readFileSync(file);
  const changes: Change[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at)) {
    const kind = KINDS[String.fromCharCode(bytes.readUInt32LE(at + 4))];
    const inode = Number(bytes.readBigUInt64LE(at + 8));
    const number = bytes.readBigUInt64LE(at + 16);
    const rest = bytes.subarray(at + HEAD_BYTES, at + bytes.readUInt32LE(at));
    switch (kind) {
      case 'create':
      case 'mkdir':
        changes.push({ kind, inode, path: rest.toString() });
        break;
      case 'write':
        changes.push({ kind, inode, at: Number(number), bytes: rest });
        break;
      case 'truncate':
      case 'extend':
        changes.push({ kind, inode, size: Number(number) });
        break;
      case 'remove':
        changes.push({ kind, path: rest.toString() });
        break;
      case 'rename':
      case 'link': {
        const [from, path] = rest.toString().split('\0') as [string, string];
        changes.push({ kind, inode, from, path });
        break;
      }
      case 'sync begins':
      case 'sync ends':
        changes.push({ kind, inode, number });
        break;
      case 'mapped':
      case 'stream':
        changes.push({ kind, inode });
        break;
      case 'said':
        changes.push({ kind, what: JSON.parse(rest.toString()) });
        break;
      default:
        throw new Error(`record of an unknown kind at ${at} of ${file}`);
    }
  }
  return changes;
}

/** Appends what is known from here on: everything the daemon did before it is in the journal already. */
export function say(file: string, what: unknown): void {
  const text = Buffer.from(JSON.stringify(what));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(HEAD_BYTES + text.length, 0);
  head.writeUInt32LE('A'.charCodeAt(0), 4);
  fs.appendFileSync(file, Buffer.concat([head, text]));
}

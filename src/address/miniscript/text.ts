// Prints miniscript in its canonical form: pk and pkh, t: l: u: and and_n wherever possible.
import { toHex } from '../../consensus/bytes/hex.js';
import type { MiniscriptNode } from './fragment.js';

/** Returns the text of the key with an index in NodeFields.keys. */
export type KeyPrinter = (place: number) => string;

/** Returns the text of a miniscript, with the shorthands that Core uses. */
export function miniscriptText(node: MiniscriptNode, key: KeyPrinter): string {
  return print(node, key, false);
}

/** Prints a node. @param wrapped whether wrappers precede it, so that a colon is needed */
function print(node: MiniscriptNode, key: KeyPrinter, wrapped: boolean): string {
  const { fragment, subs } = node;
  switch (fragment) {
    case 'c':
      if (subs[0].fragment === 'pk_k' || subs[0].fragment === 'pk_h') break;
      return `c${print(subs[0], key, true)}`;
    case 'a':
    case 's':
    case 'd':
    case 'v':
    case 'j':
    case 'n':
      return fragment + print(subs[0], key, true);
    case 'and_v':
      if (subs[1].fragment === '1') return `t${print(subs[0], key, true)}`;
      break;
    case 'or_i':
      if (subs[0].fragment === '0') return `l${print(subs[1], key, true)}`;
      if (subs[1].fragment === '0') return `u${print(subs[0], key, true)}`;
      break;
    default:
  }
  return (wrapped ? ':' : '') + printCall(node, key);
}

function printCall({ fragment, subs, k, hash, keys }: MiniscriptNode, key: KeyPrinter): string {
  const inner = (): string => subs.map((sub) => print(sub, key, false)).join(',');
  const names = (): string => keys.map((place) => key(place)).join(',');
  switch (fragment) {
    case '0':
    case '1':
      return fragment;
    case 'c':
      return `${subs[0].fragment === 'pk_k' ? 'pk' : 'pkh'}(${key(subs[0].keys[0])})`;
    case 'pk_k':
    case 'pk_h':
      return `${fragment}(${names()})`;
    case 'older':
    case 'after':
      return `${fragment}(${k})`;
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160':
      return `${fragment}(${toHex(hash as Uint8Array)})`;
    case 'multi':
    case 'multi_a':
      return `${fragment}(${k},${names()})`;
    case 'thresh':
      return `thresh(${k},${inner()})`;
    case 'andor':
      if (subs[2].fragment === '0') return `and_n(${print(subs[0], key, false)},${print(subs[1], key, false)})`;
      return `andor(${inner()})`;
    default:
      return `${fragment}(${inner()})`;
  }
}

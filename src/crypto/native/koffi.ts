// The one import of koffi: on first use, so that a process in which its binary does not load still runs on npm packages
// and node:crypto. Used by the files of this room that call system libraries.

import { createRequire } from 'node:module';

type Koffi = typeof import('koffi');

let loaded: Koffi | null = null;

/** Throws where koffi has no binary for this platform, or one that does not load. */
export function koffi(): Koffi {
  loaded ??= createRequire(import.meta.url)('koffi') as Koffi;
  return loaded;
}

// The only import of koffi, loaded on first use. If its binary does not load, the process still runs with npm packages
// and node:crypto.

import { createRequire } from 'node:module';

type Koffi = typeof import('koffi');

let loaded: Koffi | null = null;

/** Returns koffi. Throws if it has no binary for this platform, or one that does not load. */
export function koffi(): Koffi {
  loaded ??= createRequire(import.meta.url)('koffi') as Koffi;
  return loaded;
}

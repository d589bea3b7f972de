// Loads uWebSockets.js, which has one binary for each version of Node.js. One package supports Node.js 18 to 23,
// another one 24 and later, with the same API.
import type * as Uws from 'uWebSockets.js';

// Module version 131 is Node.js 23.
const loaded = await (Number(process.versions.modules) > 131 ? import('uwebsockets-next') : import('uWebSockets.js')).catch(refuse);

/**
 * Explains why the package does not load: its binaries for Node.js 24 and later need a newer C library than those for
 * 20 to 23.
 */
function refuse({ message }: Error): never {
  const lines = message.split('\n');
  const cause = lines.find((line) => line.startsWith('Error: ')) ?? lines[0];
  throw new Error(
    `the HTTP library does not load with Node ${process.versions.node} on this system (${cause}). ` +
      'Node 20 and 22 run on older systems than 24; after a change of Node run npm start once in the clone, or install adit again.',
  );
}

/** The library. */
export const uws = loaded as unknown as typeof Uws & { _cfg(option: string): void };

// Omit the header that names the library, which every reply would have otherwise.
uws._cfg('silent');

export type { HttpResponse } from 'uWebSockets.js';

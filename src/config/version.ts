// Versions of adit itself and of the P2P protocol. policy/compat.ts has the version of Core that adit reports to clients.
import fs from 'node:fs';
import path from 'node:path';

/** Version of adit; a test compares it with package.json. */
export const version = '0.1.0';

/** P2P protocol version. */
export const protocolVersion = 70016;

/**
 * Returns the commit that the commands were built from, with `-dirty` behind it when sources were changed after it.
 * Null when the build found no git repository. The build writes the file (src/bundle.mjs).
 */
export function buildCommit(): string | null {
  try {
    return fs.readFileSync(path.resolve(import.meta.dirname, '../../commit'), 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** Returns version and commit as -version and the log print them. */
export function versionText(commit = buildCommit()): string {
  return commit === null ? version : `${version} (commit ${commit})`;
}

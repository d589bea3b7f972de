// Reads the file of -asmap.
import fs from 'node:fs';
import { ConfigError } from '../config/index.js';
import type { Logger } from '../log/logger.js';
import { AsMap, MAX_ASMAP_BYTES } from '../net/index.js';

/** @param file undefined without -asmap @throws ConfigError with Core's texts */
export function readAsmap(file: string | undefined, log: Logger): AsMap | null {
  if (file === undefined) return null;
  let bytes: Uint8Array;
  try {
    const { size } = fs.statSync(file);
    bytes = size > MAX_ASMAP_BYTES ? new Uint8Array(0) : fs.readFileSync(file);
  } catch {
    throw new ConfigError(`Could not find asmap file "${file}"`);
  }
  log.info(`Opened asmap file "${file}" (${bytes.length} bytes) from disk`);
  const map = AsMap.parse(bytes);
  if (map === null) throw new ConfigError(`Could not parse asmap file "${file}"`);
  return map;
}

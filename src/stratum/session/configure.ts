// mining.configure (BIP-0310). The result has keys of extensions that the miner asked for and no others: Whatsminers
// reconnect forever otherwise.
import { parseU32Hex, u32Hex } from '../codec/hex-fields.js';
import { numberOf } from '../codec/request.js';

const MOST_EXTENSIONS = 16;

export interface Configuration {
  /** Members of the reply. */
  readonly result: Readonly<Record<string, boolean | string>>;
  /** Bits of the version that the miner may change; null if it did not ask. */
  readonly versionMask: number | null;
  /** Lowest difficulty that the miner accepts; null if it did not say. */
  readonly minimumDifficulty: number | null;
}

/**
 * Handles mining.configure.
 * @param params of the request
 * @param allowed bits of the version that any miner may change, without the highest
 */
export function configure(params: readonly unknown[], allowed: number): Configuration {
  const requested = Array.isArray(params[0]) ? (params[0] as unknown[]).slice(0, MOST_EXTENSIONS) : [];
  const values = (typeof params[1] === 'object' && params[1] !== null ? params[1] : {}) as Readonly<Record<string, unknown>>;
  const result: Record<string, boolean | string> = {};
  let versionMask: number | null = null;
  let minimumDifficulty: number | null = null;
  for (const name of requested) {
    switch (name) {
      case 'version-rolling': {
        const asked = maskOf(values['version-rolling.mask']);
        if (asked === null) {
          result[name] = 'Invalid version-rolling.mask';
          break;
        }
        versionMask = asked & allowed;
        result[name] = true;
        result['version-rolling.mask'] = u32Hex(versionMask);
        break;
      }
      case 'minimum-difficulty': {
        const value = numberOf(values['minimum-difficulty.value']);
        if (value !== null && value >= 0) minimumDifficulty = value;
        result[name] = minimumDifficulty === null ? 'Invalid minimum-difficulty.value' : true;
        break;
      }
      case 'subscribe-extranonce':
      case 'info':
        result[name] = true;
        break;
      default:
        if (typeof name === 'string') result[name] = false;
    }
  }
  return { result, versionMask, minimumDifficulty };
}

/** Returns the version mask that a miner asks for; all bits if the miner sent none; null if the mask is not hex. */
function maskOf(value: unknown): number | null {
  if (value === undefined || value === null) return 0xffffffff;
  return typeof value === 'string' ? parseU32Hex(value) : null;
}

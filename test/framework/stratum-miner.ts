// A miner that works like the firmware of a device: it knows JSON lines and hex, and shares no code with the server. It
// rebuilds coinbase, merkle root and header from mining.notify and tries nonces.
import { createHash } from 'node:crypto';

/** A message of the server. */
export interface ServerLine {
  readonly id: number | string | null;
  readonly method?: string;
  readonly params?: readonly unknown[];
  readonly result?: unknown;
  readonly error?: readonly [number, string, null] | null;
}

export const sha256d = (data: Uint8Array): Buffer => createHash('sha256').update(createHash('sha256').update(data).digest()).digest();

/** Returns the difficulty of a hash in the byte order of headers, from its three highest words. */
export const difficultyOf = (hash: Buffer): number => {
  const [low, middle, high] = [20, 24, 28].map((at) => hash.readUInt32LE(at)) as [number, number, number];
  return (0xffff * 2 ** 48) / Math.max(1, (high * 2 ** 32 + middle) * 2 ** 32 + low);
};

/** Fields that a miner varies. */
export interface Work {
  readonly extranonce2: string;
  readonly ntime: string;
  readonly nonce: string;
  /** Version bits that differ from the job's version, eight hex digits. */
  readonly versionBits?: string;
}

export interface BuiltHeader {
  readonly coinbase: Buffer;
  readonly header: Buffer;
  readonly hash: Buffer;
}

/** Reverses the bytes of each group of eight hex digits. */
const swapWords = (hex: string): Buffer => Buffer.from(hex, 'hex').swap32();
const littleEndian = (hex: string): Buffer => Buffer.from(hex, 'hex').reverse();

/** @param params of mining.notify */
export function buildHeader(params: readonly unknown[], extranonce1: string, work: Work): BuiltHeader {
  const [, prevHash, coinb1, coinb2, branch, version, bits] = params as [string, string, string, string, string[], string, string];
  const coinbase = Buffer.from(coinb1 + extranonce1 + work.extranonce2 + coinb2, 'hex');
  let root = sha256d(coinbase);
  for (const sibling of branch) root = sha256d(Buffer.concat([root, Buffer.from(sibling, 'hex')]));
  // Antminers replace the bits, Bitaxes change them by exclusive or. Both give the same result if the bits are 0 in the
  // job's version.
  const rolled = (Number.parseInt(version, 16) ^ Number.parseInt(work.versionBits ?? '0', 16)) >>> 0;
  const header = Buffer.concat([
    littleEndian(rolled.toString(16).padStart(8, '0')),
    swapWords(prevHash),
    root,
    littleEndian(work.ntime),
    littleEndian(bits),
    littleEndian(work.nonce),
  ]);
  return { coinbase, header, hash: sha256d(header) };
}

/** Tries nonces until `wanted` accepts the hash. */
export function mineShare(
  params: readonly unknown[],
  extranonce1: string,
  wanted: (difficulty: number, hash: Buffer) => boolean,
  {
    extranonce2 = '0000000000000001',
    ntime = params[7] as string,
    versionBits,
    start = 0,
  }: Partial<Work> & { readonly start?: number } = {},
): Work & { readonly built: BuiltHeader; readonly difficulty: number } {
  const first = { extranonce2, ntime, nonce: '00000000', ...(versionBits === undefined ? {} : { versionBits }) };
  const header = Buffer.from(buildHeader(params, extranonce1, first).header);
  for (let nonce = start; nonce < 2 ** 32; nonce++) {
    header.writeUInt32LE(nonce, 76);
    const hash = sha256d(header);
    const difficulty = difficultyOf(hash);
    if (!wanted(difficulty, hash)) continue;
    const work = { ...first, nonce: nonce.toString(16).padStart(8, '0') };
    return { ...work, built: buildHeader(params, extranonce1, work), difficulty };
  }
  throw new Error('no nonce');
}

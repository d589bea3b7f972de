// Reads records of shares as the program of a pool would, by the table in docs/mining.md.

export interface SeenShare {
  readonly front: number;
  readonly result: number;
  readonly block: boolean;
  readonly height: number;
  readonly number: number;
  readonly timeMs: number;
  readonly difficulty: number;
  readonly shareDifficulty: number;
  readonly address: string;
  readonly worker: string;
}

/** Reads a message. @throws Error if it is malformed */
export function readShares(bytes: Uint8Array): SeenShare[] {
  const message = Buffer.from(bytes);
  if (message[0] !== 1) throw new Error(`format ${message[0]}`);
  const shares: SeenShare[] = [];
  for (let at = 1; at < message.length; ) {
    const end = at + message.readUInt16LE(at);
    if (end > message.length || end < at + 42) throw new Error(`a record of ${end - at} bytes at ${at} of ${message.length}`);
    const worker = at + 42 + message.readUInt8(at + 5);
    shares.push({
      front: message.readUInt8(at + 2),
      result: message.readUInt8(at + 3),
      block: message.readUInt8(at + 4) === 1,
      height: message.readUInt32LE(at + 6),
      number: message.readDoubleLE(at + 10),
      timeMs: message.readDoubleLE(at + 18),
      difficulty: message.readDoubleLE(at + 26),
      shareDifficulty: message.readDoubleLE(at + 34),
      address: message.toString('latin1', at + 42, worker),
      worker: message.toString('latin1', worker, end),
    });
    at = end;
  }
  return shares;
}

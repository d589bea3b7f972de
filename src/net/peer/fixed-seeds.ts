// Decodes the fixed seeds (consensus/params/seeds).
import { ByteReader } from '../../consensus/bytes/reader.js';
import { type NetAddress, readAddressV2 } from '../wire/net-address.js';

/** @param packed base64 of records as in BIP-0155 @throws DecodeError for anything else */
export function readFixedSeeds(packed: string): NetAddress[] {
  const reader = new ByteReader(new Uint8Array(Buffer.from(packed, 'base64')));
  const seeds: NetAddress[] = [];
  while (reader.remaining > 0) {
    const address = readAddressV2(reader);
    if (address !== null) seeds.push(address);
  }
  return seeds;
}

// BIP-0324's vectors: decoding and encoding of ElligatorSwift keys, and the whole way from a secret to encrypted
// packets. VECTORS names the folder (../shared/vectors by default); without it the suites are skipped.

import { chainParams } from '../../src/consensus/params/networks.js';
import { decodeEllSwift, type EllSwift, tOfPair, xOfPair } from '../../src/crypto/ellswift.js';
import { createEllSwift } from '../../src/crypto/native/ell-swift.js';
import { createNativeHashes } from '../../src/crypto/native/hashes.js';
import { bytesOfNumber, numberOfBytes, reduce } from '../../src/crypto/secp-field.js';
import { type Packet, Session } from '../../src/net/transport/session.js';
import { hex, unhex } from '../framework/hex.js';
import { rowSuite } from '../framework/vector-suite.js';

rowSuite<{ ellswift: string; x: string }>('p2p/bip324_ellswift_decode.json', 'every 64 bytes are a key', ({ ellswift, x }) => {
  const got = hex(decodeEllSwift(unhex(ellswift)));
  return got === x ? null : `${got}, not ${x}`;
});

rowSuite<Record<string, string>>('p2p/bip324_xswiftec_inv.json', 'the eight encodings with one u', (row) => {
  const u = reduce(numberOfBytes(unhex(row.u)));
  const x = numberOfBytes(unhex(row.x));
  for (let which = 0; which < 8; which++) {
    const t = tOfPair(x, u, which);
    const got = t === null ? '' : hex(bytesOfNumber(t));
    if (got !== row[`case${which}_t`]) return `case ${which}: ${got}, not ${row[`case${which}_t`]}`;
    if (t !== null && xOfPair(u, t) !== x) return `case ${which} does not decode to x`;
  }
  return null;
});

const hashes = createNativeHashes();
const magic = chainParams('main').magic;
const none = new Uint8Array(0);

/** The whole of one row on one implementation of the key exchange. @returns what is wrong */
function packetFault(row: Record<string, string>, curve: EllSwift): string | null {
  const initiating = row.in_initiating === '1';
  const ours = { secret: unhex(row.in_priv_ours), encoding: unhex(row.in_ellswift_ours) };
  const theirs = unhex(row.in_ellswift_theirs);
  if (hex(decodeEllSwift(ours.encoding)) !== row.mid_x_ours) return 'our x';
  if (hex(decodeEllSwift(theirs)) !== row.mid_x_theirs) return 'their x';
  const secret = curve.sharedSecret(ours, theirs, initiating);
  if (hex(secret) !== row.mid_shared_secret) return 'shared secret';
  const session = new Session(secret.slice(), magic, initiating);
  const other = new Session(secret, magic, !initiating);
  if (secret.some((byte) => byte !== 0)) return 'the secret is not wiped';
  if (hex(session.sendTerminator) !== row.mid_send_garbage_terminator) return 'our mark';
  if (hex(session.receiveTerminator) !== row.mid_recv_garbage_terminator) return 'their mark';
  if (hex(session.id) !== row.out_session_id) return 'session id';
  const receive = (bytes: Uint8Array, aad: Uint8Array): Packet | null => {
    const length = other.readLength(bytes.subarray(0, 3));
    return length === bytes.length - 20 ? other.decrypt(bytes.subarray(3), aad) : null;
  };
  for (let i = 0; i < Number(row.in_idx); i++) {
    if (receive(session.encrypt([], none), none) === null) return `packet ${i} does not come back`;
  }
  const contents = unhex(row.in_contents.repeat(Number(row.in_multiply)));
  const aad = unhex(row.in_aad);
  const packet = session.encrypt([contents], aad, row.in_ignore === '1');
  if (row.out_ciphertext !== '' && hex(packet) !== row.out_ciphertext) return 'packet';
  if (row.out_ciphertext_endswith !== '' && !hex(packet).endsWith(row.out_ciphertext_endswith)) return 'end of the packet';
  const read = receive(packet, aad);
  if (read === null || read.decoy !== (row.in_ignore === '1') || hex(read.contents) !== hex(contents))
    return 'the packet does not come back';
  return null;
}

const packages = createEllSwift(hashes, { prefer: 'packages' });
const best = createEllSwift(hashes);
for (const curve of best.backend === packages.backend ? [packages] : [packages, best]) {
  rowSuite<Record<string, string>>('p2p/bip324_packet_encoding.json', `packets, keys by ${curve.backend}`, (row) =>
    packetFault(row, curve),
  );
}

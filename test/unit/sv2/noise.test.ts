// The handshake and encrypted frames against vectors of two other implementations, byte for byte, with fixed keys.
import t from 'tap';
import { createAead } from '../../../src/crypto/native/aead.js';
import { createEllSwift } from '../../../src/crypto/native/ell-swift.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { makeCertificate } from '../../../src/sv2/noise/certificate.js';
import { CipherState, hkdf2, SymmetricState } from '../../../src/sv2/noise/cipher-state.js';
import { type NoiseSession, PROTOCOL_NAME, respond } from '../../../src/sv2/noise/responder.js';
import { openPayload, SEALED_HEADER_BYTES, sealFrame } from '../../../src/sv2/noise/transport.js';
import { hex } from '../../framework/hex.js';
import { fileSuite, readJson, tally } from '../../framework/vector-suite.js';

const hashes = createNativeHashes();
const aead = createAead();
const tools = { hashes, aead, ellSwift: createEllSwift(hashes) };
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const sha256 = (data: Uint8Array): string => hex(hashes.sha256(data));

interface Handshake {
  readonly responder_ephemeral_secret: string;
  readonly responder_ephemeral_ellswift?: string;
  readonly responder_static_secret: string;
  readonly responder_static_ellswift: string;
  readonly signature_noise_message: string;
  readonly act1: string;
  readonly act2: string;
  readonly h?: string;
}

/** Answers a row's act 1 with the row's keys. */
function replay(row: Handshake): NoiseSession {
  return respond(
    bytes(row.act1),
    {
      staticKey: { secret: bytes(row.responder_static_secret), encoding: bytes(row.responder_static_ellswift) },
      certificate: bytes(row.signature_noise_message),
    },
    // The first 64 bytes of act 2 are the key in the clear.
    {
      secret: bytes(row.responder_ephemeral_secret),
      encoding: bytes(row.responder_ephemeral_ellswift ?? row.act2.slice(0, 128)),
    },
    tools,
  );
}

interface FrameRow {
  readonly from: string;
  readonly extension_type: number;
  readonly msg_type: number;
  readonly payload?: string;
  readonly payload_rule?: string;
  readonly payload_length?: number;
  readonly bytes?: string;
  readonly bytes_sha256?: string;
}

fileSuite('sv2/noise_handshake.json', (t) => {
  const failures: string[] = [];
  let frames = 0;
  for (const row of readJson<(Handshake & { frames: FrameRow[] })[]>('sv2/noise_handshake.json')) {
    const session = replay(row);
    if (hex(session.act2) !== row.act2) failures.push('act 2');
    for (const frame of row.frames) {
      if (frame.payload === undefined) break;
      frames++;
      const payload = bytes(frame.payload);
      if (frame.from === 'responder') {
        const sealed = sealFrame(session.sending, frame.extension_type, frame.msg_type, payload);
        if ((frame.bytes !== undefined ? hex(sealed) : sha256(sealed)) !== (frame.bytes ?? frame.bytes_sha256))
          failures.push(`frame ${frames}`);
      } else {
        const sealed = bytes(frame.bytes as string);
        const header = session.receiving.open(sealed.subarray(0, SEALED_HEADER_BYTES));
        const opened = openPayload(session.receiving, sealed.subarray(SEALED_HEADER_BYTES), payload.length);
        if (header === null || opened === null || hex(opened) !== frame.payload) failures.push(`frame ${frames} opened`);
      }
    }
  }
  t.ok(frames >= 8, `${frames} frames`);
  tally(t, 'handshakes', failures, frames);
});

interface Blob {
  readonly from: string;
  readonly length: number;
  readonly ciphertext: string;
}

fileSuite('sv2/noise_handshake_sv2tp.json', (t) => {
  const failures: string[] = [];
  let blobs = 0;
  for (const row of readJson<(Handshake & { transport: Blob[] })[]>('sv2/noise_handshake_sv2tp.json')) {
    const session = replay(row);
    if (hex(session.act2) !== row.act2) failures.push('act 2');
    if (hex(session.hash) !== row.h) failures.push('the hash of the handshake');
    row.transport.forEach(({ from, length, ciphertext }, i) => {
      if (length > 65_519 || ciphertext === undefined) return;
      blobs++;
      const plain = Uint8Array.from({ length }, (_, j) => (j * 7 + i) & 255);
      if (from === 'responder') {
        const out = new Uint8Array(length + 16);
        session.sending.seal(plain, out, 0);
        if (hex(out) !== ciphertext) failures.push(`blob ${i}`);
      } else {
        const opened = session.receiving.open(bytes(ciphertext));
        if (opened === null || hex(opened) !== hex(plain)) failures.push(`blob ${i} opened`);
      }
    });
  }
  tally(t, "sv2-tp's handshakes", failures, blobs);
});

interface Primitive extends Record<string, string | number> {
  readonly op: string;
}

fileSuite('sv2/primitives.json', (t) => {
  const failures: string[] = [];
  let count = 0;
  const signer = createSigner();
  for (const row of readJson<Primitive[]>('sv2/primitives.json')) {
    const text = (name: string): string => String(row[name]);
    if (row.op === 'protocol_name') {
      count++;
      if (hex(new SymmetricState(text('input'), hashes, aead).hash) !== row.h || row.input !== PROTOCOL_NAME) failures.push('name');
    } else if (row.op === 'certificate') {
      count++;
      const fields = {
        validFrom: Number(row.valid_from),
        notValidAfter: Number(row.not_valid_after),
        staticKey: bytes(text('static_x')),
      };
      const made = makeCertificate(fields, bytes(text('authority_secret')), bytes(text('aux_rand')), {
        sha256: hashes.sha256,
        signSchnorr: signer.signSchnorr,
      });
      if (made === null || !Object.values(row).includes(hex(made))) {
        // Rows name the signature or the whole message.
        if (made === null || !Object.values(row).includes(hex(made.subarray(10)))) failures.push(`certificate ${row.static_x}`);
      }
    }
  }
  t.ok(count >= 3);
  tally(t, 'names and certificates', failures, count);
});

t.test('computes HKDF and the initial handshake state as spelled out', async (t) => {
  const state = new SymmetricState(PROTOCOL_NAME, hashes, aead);
  t.equal(hex(state.hash), '922fa32e4f487c0d59caa3bed7899ce3d98db7e13dbd3b7cf2d23dd433dc6104');
  const [first, second] = hkdf2(new Uint8Array(32), new Uint8Array(0), hashes);
  t.equal(hex(first), 'eb70f01dede9afafa449eee1b1286504e1f62388b3f7dd4f956697b0e828fe18');
  t.equal(hex(second), '1e59c2ec0fe6e7e7ac2613b6ab65342a83379969da234240cded3777914db907');
});

t.test('rejects a message that is repeated or out of order', async (t) => {
  const key = (): Uint8Array => new Uint8Array(32).fill(7);
  const sender = new CipherState(key(), aead);
  const sealed = [1, 2].map((byte) => {
    const out = new Uint8Array(17);
    sender.seal(Uint8Array.of(byte), out, 0);
    return out;
  });
  const receiver = new CipherState(key(), aead);
  t.same(receiver.open(sealed[0]!), Uint8Array.of(1));
  t.equal(receiver.open(sealed[0]!), null, 'again');
  t.equal(new CipherState(key(), aead).open(sealed[1]!), null, 'one left out');
});

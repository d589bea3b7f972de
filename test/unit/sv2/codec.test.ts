// The codecs against vectors of other implementations, byte for byte: what clients send is decoded, what the server
// sends is encoded. And small ones of our own for machines without those files.

import t from 'tap';
import { DecodeError } from '../../../src/consensus/bytes/reader.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { encodeAuthorityKey } from '../../../src/sv2/authority-key.js';
import {
  decodeRequestExtensions,
  decodeSetupConnection,
  encodeRequestExtensionsError,
  encodeSetupConnectionError,
  encodeSetupConnectionSuccess,
} from '../../../src/sv2/codec/common-messages.js';
import { decodeFrameHeader, encodeFrameHeader } from '../../../src/sv2/codec/frame.js';
import {
  decodeConstraints,
  decodeRequestTransactionData,
  decodeSubmitSolution,
  encodeNewTemplate,
  encodeSetNewPrevHash,
  encodeTransactionData,
  encodeTransactionDataError,
} from '../../../src/sv2/codec/template-messages.js';
import { sealedLength } from '../../../src/sv2/noise/transport.js';
import { fc } from '../../framework/fast-check.js';
import { hex } from '../../framework/hex.js';
import { fileSuite, readJson, tally } from '../../framework/vector-suite.js';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
// biome-ignore lint/suspicious/noExplicitAny: fields are as many shapes as there are messages
type Fields = any;
interface Row {
  readonly kind: string;
  readonly message: string;
  readonly fields: Fields;
  readonly hex: string;
  readonly valid?: boolean;
}

/** Decoders under the names of the vectors. */
const decoders: Record<string, (payload: Uint8Array) => Fields> = {
  SetupConnection: (payload) => {
    const m = decodeSetupConnection(payload);
    return {
      protocol: m.protocol,
      min_version: m.minVersion,
      max_version: m.maxVersion,
      flags: m.flags,
      endpoint_host: m.endpointHost,
      endpoint_port: m.endpointPort,
      vendor: m.vendor,
      hardware_version: m.hardwareVersion,
      firmware: m.firmware,
      device_id: m.deviceId,
    };
  },
  CoinbaseOutputConstraints: (payload) => {
    const m = decodeConstraints(payload);
    return {
      coinbase_output_max_additional_size: m.maxAdditionalSize,
      coinbase_output_max_additional_sigops: m.maxAdditionalSigops,
    };
  },
  // The vectors' numbers above 2^53 have gone through a double.
  RequestTransactionData: (payload) => ({ template_id: Number(decodeRequestTransactionData(payload)) }),
  SubmitSolution: (payload) => {
    const m = decodeSubmitSolution(payload);
    return {
      template_id: Number(m.templateId),
      version: m.version,
      header_timestamp: m.headerTimestamp,
      header_nonce: m.headerNonce,
      coinbase_tx: hex(m.coinbase),
    };
  },
};

/** Encoders under the names of the vectors. */
const encoders: Record<string, (fields: Fields) => Uint8Array> = {
  'SetupConnection.Success': (f) => encodeSetupConnectionSuccess(f.used_version, f.flags),
  'SetupConnection.Error': (f) => encodeSetupConnectionError(f.flags, f.error_code),
  NewTemplate: (f) =>
    encodeNewTemplate({
      templateId: BigInt(f.template_id),
      future: f.future_template,
      version: f.version,
      coinbaseVersion: f.coinbase_tx_version,
      coinbasePrefix: bytes(f.coinbase_prefix),
      coinbaseSequence: f.coinbase_tx_input_sequence,
      valueRemaining: f.coinbase_tx_value_remaining,
      outputs: cutOutputs(bytes(f.coinbase_tx_outputs), f.coinbase_tx_outputs_count),
      coinbaseLocktime: f.coinbase_tx_locktime,
      merklePath: f.merkle_path.map(bytes),
    }),
  SetNewPrevHash: (f) =>
    encodeSetNewPrevHash({
      templateId: BigInt(f.template_id),
      prevHash: bytes(f.prev_hash),
      headerTimestamp: f.header_timestamp,
      bits: f.nbits,
      target: BigInt(`0x${hex(bytes(f.target).reverse())}`),
    }),
  'RequestTransactionData.Error': (f) => encodeTransactionDataError(BigInt(f.template_id), f.error_code),
  'RequestExtensions.Error (extension 1, type 2)': (f) =>
    encodeRequestExtensionsError(f.request_id, f.unsupported_extensions, f.required_extensions),
};

/** Equal pieces: the vectors' outputs are of one size. */
function cutOutputs(all: Uint8Array, count: number): Uint8Array[] {
  const size = all.length / Math.max(1, count);
  return Array.from({ length: count }, (_, i) => all.subarray(i * size, (i + 1) * size));
}

fileSuite('sv2/messages.json', (t) => {
  const failures: string[] = [];
  let count = 0;
  for (const row of readJson<Row[]>('sv2/messages.json')) {
    if (row.kind === 'header') {
      const { extension, channel, type, length } = decodeFrameHeader(bytes(row.hex));
      const { extension_type, msg_type, msg_length } = row.fields;
      if ((extension | (channel ? 0x8000 : 0)) !== extension_type || type !== msg_type || length !== msg_length) failures.push(row.hex);
      if (hex(encodeFrameHeader(extension_type, msg_type, msg_length)) !== row.hex) failures.push(`${row.hex} encoded`);
      count++;
    }
    const decode = decoders[row.message];
    const encode = encoders[row.message];
    if (row.kind !== 'payload' || (decode === undefined && encode === undefined)) continue;
    count++;
    if (row.valid === false) {
      try {
        decode?.(bytes(row.hex));
        failures.push(`${row.message} ${row.hex}: taken`);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
      }
    } else if (decode !== undefined) {
      const fields = decode(bytes(row.hex));
      for (const [name, value] of Object.entries(row.fields)) {
        if (fields[name] !== value) failures.push(`${row.message} ${name}: ${fields[name]}, not ${value}`);
      }
    } else if (encode !== undefined && hex(encode(row.fields)) !== row.hex) failures.push(`${row.message}: ${hex(encode(row.fields))}`);
  }
  const data = readJson<Row[]>('sv2/messages.json').filter(({ message }) => message === 'RequestTransactionData.Success');
  for (const { fields, hex: expected } of data) {
    if (fields.excess_data !== '') continue;
    count++;
    if (hex(encodeTransactionData(BigInt(fields.template_id), fields.transaction_list.map(bytes))) !== expected) failures.push(expected);
  }
  t.ok(count >= 20, `${count} rows of messages that are spoken here`);
  tally(t, 'messages', failures, count);
});

fileSuite('sv2/session_regtest.json', (t) => {
  const rows = readJson<{ direction: string; message: string; fields?: Fields; hex: string }[]>('sv2/session_regtest.json');
  const failures: string[] = [];
  let count = 0;
  for (const { direction, message, fields, hex: expected } of rows) {
    if (direction === 'client') {
      count++;
      decoders[message]?.(bytes(expected)) ?? failures.push(`${message} is not decoded`);
    } else if (encoders[message] !== undefined && fields !== undefined) {
      count++;
      if (hex(encoders[message](fields)) !== expected) failures.push(message);
    }
  }
  t.ok(count >= 8);
  tally(t, 'a session of another provider', failures, count);
});

fileSuite('sv2/authority_key.json', (t) => {
  const hashes = createNativeHashes();
  const rows = readJson<{ valid: boolean; base58check: string; public_key: string }[]>('sv2/authority_key.json').filter(
    ({ valid }) => valid,
  );
  const failures = rows
    .filter((row) => encodeAuthorityKey(bytes(row.public_key), hashes) !== row.base58check)
    .map(({ base58check }) => base58check);
  tally(t, 'authority keys', failures, rows.length);
});

t.test('encodes and decodes messages as spelled out', async (t) => {
  t.equal(
    encodeAuthorityKey(bytes('76637000979c1c11af0c300bcd8c7fe48610fce9b9c11e3daee35ae0b08a7455'), createNativeHashes()),
    '9bXiEd8boQVhq7WddEcERUL5tyyJVFYdU8th3HfbNXK3Yw6GRXh',
    'the key of the specification',
  );
  t.equal(hex(encodeSetupConnectionError(0, 'protocol-version-mismatch')), '000000001970726f746f636f6c2d76657273696f6e2d6d69736d61746368');
  t.same(decodeConstraints(bytes('42000000')), { maxAdditionalSize: 66, maxAdditionalSigops: 400 }, 'clients of before March 2025');
  t.same(decodeRequestExtensions(bytes('070002000200ff7f')), { requestId: 7, requested: [2, 0x7fff] });
  t.throws(() => decodeRequestExtensions(bytes('0700ffff0200')), DecodeError, 'a count beyond the message');
  t.throws(() => decodeConstraints(bytes('420000009001ff')), DecodeError, 'bytes behind the last field');
  // Lengths 253 to 255 are lengths, not CompactSize prefixes.
  const setup = Buffer.from(`02020002000000000009${Buffer.from('127.0.0.1').toString('hex')}fa20${'fd'}${'61'.repeat(253)}000000`, 'hex');
  t.equal(decodeSetupConnection(new Uint8Array(setup)).vendor, 'a'.repeat(253));
  t.equal(hex(encodeTransactionData(3n, [bytes('aaaaaa'), bytes('bb')])), '030000000000000000000200030000aaaaaa010000bb');
});

t.test('computes the encrypted length of a payload', async (t) => {
  const lengths = [
    [0, 0],
    [1, 17],
    [65_519, 65_535],
    [65_520, 65_552],
    [131_038, 131_070],
    [16_777_215, 16_781_327],
  ] as const;
  for (const [plain, sealed] of lengths) t.equal(sealedLength(plain), sealed);
});

t.test('decodes or rejects any bytes without other errors', async (t) => {
  const all = [decodeSetupConnection, decodeConstraints, decodeRequestTransactionData, decodeSubmitSolution, decodeRequestExtensions];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (payload) => {
      for (const decode of all) {
        try {
          decode(payload);
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error;
        }
      }
    }),
    { seed: 20261122, numRuns: 3000 },
  );
  t.pass('no other error');
});

// Writes consecutive headers of the active chain as JSON, for REST.
import { parseHeader } from '../../consensus/block/header-view.js';
import { blockProof } from '../../consensus/rules/bits.js';
import { versioned } from '../declare/versions.js';
import { spec as getblockheader } from '../methods/blockchain/getblockheader.js';
import { headerHead, headerTail } from '../render/header.js';
import { hashHex } from '../render/hex.js';
import type { RenderContext } from '../render/script.js';
import { JsonBytes } from '../wire/json-bytes.js';
import { encodeJson } from '../wire/json-write.js';
import type { HeadersJob } from './read-job.js';

const HEADER_BYTES = 80;
/** Number of blocks in the median time of BIP-0113. */
const MEDIAN_SPAN = 11;

/** Returns a list of objects like those of getblockheader. */
export function renderHeaders(job: HeadersJob, { hashes, compat }: RenderContext): readonly Uint8Array[] {
  const { shape } = versioned(getblockheader, compat);
  const bytes = new Uint8Array(Buffer.from(job.headers, 'base64'));
  const headers = job.txCounts.map((_, i) => parseHeader(bytes.subarray(HEADER_BYTES * i, HEADER_BYTES * (i + 1)), hashes));
  const times = [...job.timesBefore];
  let work = BigInt(`0x${job.workBefore}`);
  const out = new JsonBytes();
  out.text('[');
  for (const [i, header] of headers.entries()) {
    const height = job.height + i;
    times.push(header.time);
    if (times.length > MEDIAN_SPAN) times.shift();
    work += blockProof(header.bits);
    const { version, time, bits, nonce, merkleRoot, prevHash } = header;
    const shown = {
      ...{ height, version, time, bits, nonce, merkleRoot },
      mediantime: [...times].sort((a, b) => a - b)[times.length >> 1],
      chainwork: work.toString(16).padStart(64, '0'),
      txCount: job.txCounts[i],
      prevHash: height === 0 ? null : prevHash,
      next: i + 1 < headers.length ? hashHex(headers[i + 1].hash) : job.next,
    };
    const value = { hash: hashHex(header.hash), confirmations: job.tipHeight - height + 1, ...headerHead(shown), ...headerTail(shown) };
    out.beginEntry();
    if (i > 0) out.text(',');
    out.text(encodeJson(shape ? shape(value) : value));
  }
  out.text(']');
  return out.parts();
}

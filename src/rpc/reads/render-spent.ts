// Writes the outputs that a block spent, for REST (spenttxouts). Core: rest.cpp.
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import { bytesHex } from '../render/hex.js';
import { type RenderContext, scriptMembers } from '../render/script.js';
import { JsonBytes } from '../wire/json-bytes.js';
import { encodeJson } from '../wire/json-write.js';
import { Amount } from '../wire/values.js';
import type { JobFiles } from './job-files.js';
import type { SpentJob } from './read-job.js';

/** @throws RpcError */
export function renderSpent({ block, undo, prevHash, form }: SpentJob, files: JobFiles, render: RenderContext): readonly Uint8Array[] {
  const spent = undo === null ? [] : files.undo(block, undo, new Uint8Array(Buffer.from(prevHash, 'hex')).reverse());
  if (form === 'object') return writeObjects(spent, render);
  // The first list is empty: the coinbase spends nothing.
  const out = new ByteWriter(4096).compactSize(spent.length + 1).compactSize(0);
  for (const coins of spent) {
    out.compactSize(coins.length);
    for (const { value, script } of coins) out.u64(value).varBytes(script);
  }
  return [form === 'bytes' ? out.finish() : Buffer.from(bytesHex(out.finish()), 'latin1')];
}

function writeObjects(spent: readonly (readonly Coin[])[], render: RenderContext): readonly Uint8Array[] {
  const out = new JsonBytes();
  out.text('[[]');
  for (const coins of spent) {
    out.text(',[');
    for (const [i, { value, script }] of coins.entries()) {
      out.beginEntry();
      if (i > 0) out.text(',');
      out.text(encodeJson({ value: new Amount(value), scriptPubKey: scriptMembers(script, render, true) }));
    }
    out.text(']');
  }
  out.text(']');
  return out.parts();
}

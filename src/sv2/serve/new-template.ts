// Encodes a template as a NewTemplate message.
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { coinbaseLock } from '../../consensus/rules/cleanup/coinbase-lock.js';
import { pushNumber } from '../../consensus/script/build-script.js';
import type { ServedTemplate } from '../../mining/index.js';
import { encodeNewTemplate } from '../codec/template-messages.js';

const COINBASE_VERSION = 2;

/** Returns the NewTemplate payload with future_template = 0. */
export function newTemplate(templateId: bigint, { height, version, value, commitment, branch }: ServedTemplate): Uint8Array {
  const lock = coinbaseLock(height);
  return encodeNewTemplate({
    templateId,
    future: false,
    version,
    coinbaseVersion: COINBASE_VERSION,
    coinbasePrefix: pushNumber(height),
    coinbaseSequence: lock.sequence,
    valueRemaining: value,
    outputs: commitment === null ? [] : [new ByteWriter(47).u64(0).varBytes(commitment).finish()],
    coinbaseLocktime: lock.locktime,
    merklePath: branch,
  });
}

// Scan objects: a descriptor, or an object of one with a range. Core 0.21: rpc/util.cpp
// EvalDescriptorStringOrObject.
import type { Expansion } from '../../address/descriptor/expansion.js';
import { hideKeys } from '../../address/descriptor/key-tokens.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import type { FlatProvider } from '../../signing/signing-provider.js';
import { asString } from '../args.js';
import type { NodeContext } from '../context/node.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { asRange, type IndexRange } from '../range.js';
import { JsonObject, type JsonValue } from '../wire/values.js';
import { Slicer } from './slices.js';

/** Indices of a ranged descriptor unless the call says otherwise. */
const DEFAULT_RANGE: IndexRange = { begin: 0, end: 1000 };
const NO_RANGE: IndexRange = { begin: 0, end: 0 };

function readObject(object: JsonValue): { text: string; range: IndexRange } {
  if (typeof object === 'string') return { text: object, range: DEFAULT_RANGE };
  if (!(object instanceof JsonObject)) return fail(RPC_CODE.INVALID_PARAMETER, 'Scan object needs to be either a string or an object');
  const text = object.get('desc') ?? null;
  if (text === null) fail(RPC_CODE.INVALID_PARAMETER, 'Descriptor needs to be provided in scan object');
  const range = object.get('range') ?? null;
  return { text: asString(text), range: range === null ? DEFAULT_RANGE : asRange(range) };
}

/**
 * What a scan object stands for, index by index. Secrets in it are wiped when the walk ends.
 * @param keep is given the secret of every key, to wipe them later
 */
export function* expandScanObject(ctx: NodeContext, object: JsonValue, call: CallInfo, keep?: FlatProvider): Generator<Expansion> {
  const { text, range } = readObject(object);
  const parsed = parseDescriptor(text, ctx.descriptors, { keys: call.taken?.keys });
  if ('error' in parsed) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, parsed.error);
  const { descriptors, secrets } = parsed;
  try {
    for (const descriptor of descriptors) {
      const { begin, end } = descriptor.isRange ? range : NO_RANGE;
      for (let index = begin; index <= end; index++) {
        const expansion = descriptor.expand(index, { secrets });
        if (keep) for (const { publicKey, secret } of descriptor.secretsAt(index, secrets)) keep.addSecret(publicKey, secret, ctx.crypto);
        yield expansion ??
          fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Cannot derive script without private keys: '${hideKeys(text, call.taken?.keys)}'`);
      }
    }
  } finally {
    secrets.wipe();
  }
}

/** Scripts, each once. */
export class ScanScripts {
  readonly #scripts = new Map<string, Uint8Array>();

  add(script: Uint8Array): void {
    this.#scripts.set(textOf(script), script);
  }

  has(script: Uint8Array): boolean {
    return this.#scripts.has(textOf(script));
  }

  values(): Iterable<Uint8Array> {
    return this.#scripts.values();
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** All scripts that scan objects stand for. @param stopped asked now and then; when it is true the rest is left out */
export async function scanScripts(
  ctx: NodeContext,
  objects: readonly JsonValue[],
  call: CallInfo,
  stopped: () => boolean,
): Promise<ScanScripts> {
  const scripts = new ScanScripts();
  const slicer = new Slicer(call.yieldToUrgent);
  for (const object of objects) {
    for (const expansion of expandScanObject(ctx, object, call)) {
      for (const script of expansion.scripts) scripts.add(script);
      if (!slicer.due) continue;
      await slicer.pause();
      if (stopped()) return scripts;
    }
  }
  return scripts;
}

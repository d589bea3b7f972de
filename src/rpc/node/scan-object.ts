// Parses scan objects: a descriptor, or an object with a descriptor and a range. Core 0.21: rpc/util.cpp
// EvalDescriptorStringOrObject.
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { Expansion } from '../../address/descriptor/expansion.js';
import { hideKeys } from '../../address/descriptor/key-tokens.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import type { FlatProvider } from '../../signing/index.js';
import { asString } from '../args.js';
import { fail, RPC_CODE } from '../errors.js';
import { asRange, type IndexRange } from '../range.js';
import type { TakenSecrets } from '../wire/taken-secrets.js';
import { JsonObject, type JsonValue } from '../wire/values.js';

/** Default range of a ranged descriptor. */
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
 * Expands a scan object, index by index. Secrets in it are wiped when the generator ends.
 * @param provider receives the secret of every key, and must wipe it later
 */
export function* expandScanObject(
  context: DescriptorContext,
  object: JsonValue,
  taken: TakenSecrets | undefined,
  provider?: FlatProvider,
): Generator<Expansion> {
  const { text, range } = readObject(object);
  const parsed = parseDescriptor(text, context, { keys: taken?.keys });
  if ('error' in parsed) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, parsed.error);
  const { descriptors, secrets } = parsed;
  try {
    for (const descriptor of descriptors) {
      const { begin, end } = descriptor.isRange ? range : NO_RANGE;
      for (let index = begin; index <= end; index++) {
        const expansion = descriptor.expand(index, { secrets });
        if (provider)
          for (const { publicKey, secret } of descriptor.secretsAt(index, secrets)) provider.addSecret(publicKey, secret, context.hashes);
        yield expansion ??
          fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Cannot derive script without private keys: '${hideKeys(text, taken?.keys)}'`);
      }
    }
  } finally {
    secrets.wipe();
  }
}

/** A set of scripts. */
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

// Places of secrets in the arguments of methods, in the form that a reader of bytes needs. declare/secret-places.ts
// collects them from the declarations.
import { bufferOf } from './json-tokens.js';
import type { RequestBody } from './request.js';

const BACKSLASH = 0x5c;

/**
 * Kind of a string in a request: a passphrase, a private key in WIF, or a descriptor (or its replacement) that may
 * contain private keys.
 */
export type SecretKind = 'passphrase' | 'key' | 'descriptor';

/** Where secrets are in a value: in its text, in the elements of a list, or in the members of an object. */
export interface SecretPlace {
  readonly text?: SecretKind;
  readonly elements?: SecretPlace;
  readonly members?: ReadonlyMap<string, SecretPlace>;
}

/** Arguments of a method that contain secrets. */
export interface MethodSecrets {
  /** Places of secrets by position of the argument. */
  readonly args: ReadonlyMap<number, SecretPlace>;
  /** Positions of arguments by name. */
  readonly names: ReadonlyMap<string, number>;
  /**
   * Names of members at least one of which occurs in every request with secrets; null if there are requests without
   * them.
   */
  readonly hints: readonly string[] | null;
}

/** Arguments with secrets, by method. */
export type SecretPlaces = ReadonlyMap<string, MethodSecrets>;

/** Returns the first method of a body that takes secrets; null if there is none. */
export function secretMethodIn(body: RequestBody, places: SecretPlaces): string | null {
  if (!body.isBatch) {
    const { method } = body.at(0);
    return mayContainSecrets(body.bytes, places.get(method)) ? method : null;
  }
  const checked = new Set<string>();
  for (let i = 0; i < body.length; i++) {
    const method = body.methodOf(i);
    // Check each method once, because a body may repeat one endlessly.
    if (method === null || checked.has(method)) continue;
    if (mayContainSecrets(body.bytes, places.get(method))) return method;
    checked.add(method);
  }
  return null;
}

/** Returns whether a body with a method may contain secrets. */
function mayContainSecrets(body: Uint8Array, secrets: MethodSecrets | undefined): boolean {
  if (secrets === undefined) return false;
  const bytes = bufferOf(body);
  // A secret inside an object has the name of its member before it. If no such name occurs, there is no secret: many
  // requests of importmulti contain no keys. A name with escapes looks different.
  return secrets.hints === null || bytes.includes(BACKSLASH) || secrets.hints.some((hint) => bytes.includes(`"${hint}"`));
}

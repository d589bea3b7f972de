// Collects the arguments that contain passphrases or private keys from the declarations.
import type { MethodSecrets, SecretKind, SecretPlace, SecretPlaces } from '../wire/secret-places.js';
import { METHODS } from './methods.js';
import type { ArgSpec } from './types.js';

/** Returns the places of secrets in a value that may have any of these forms; undefined if none contains secrets. */
function placeOf(forms: readonly ArgSpec[]): SecretPlace | undefined {
  let text: SecretKind | undefined;
  let elements: readonly ArgSpec[] = [];
  const members = new Map<string, SecretPlace>();
  for (const form of forms) {
    text ??= form.holds;
    if (form.type === 'arr') elements = [...elements, ...(form.inner ?? [])];
    else {
      for (const member of form.inner ?? []) {
        const place = placeOf([member]);
        if (place) members.set(member.name, place);
      }
    }
  }
  const inList = elements.length === 0 ? undefined : placeOf(elements);
  if (text === undefined && inList === undefined && members.size === 0) return undefined;
  return {
    ...(text === undefined ? {} : { text }),
    ...(inList === undefined ? {} : { elements: inList }),
    ...(members.size === 0 ? {} : { members }),
  };
}

/**
 * Returns the names of the innermost members on all paths to a secret; null if a secret can be reached without a
 * member.
 */
function hintsOf(place: SecretPlace): string[] | null {
  if (place.text !== undefined) return null;
  const inList = place.elements === undefined ? [] : hintsOf(place.elements);
  if (inList === null) return null;
  return [...inList, ...[...(place.members ?? [])].flatMap(([name, member]) => hintsOf(member) ?? [name])];
}

function secretsOf(args: readonly ArgSpec[]): MethodSecrets | undefined {
  const places = new Map<number, SecretPlace>();
  const names = new Map<string, number>();
  let hints: string[] | null = [];
  for (const [at, arg] of args.entries()) {
    const place = placeOf([arg]);
    if (place === undefined) continue;
    places.set(at, place);
    for (const name of arg.name.split('|')) names.set(name, at);
    const more = hintsOf(place);
    hints = hints === null || more === null ? null : [...hints, ...more];
  }
  return places.size === 0 ? undefined : { args: places, names, hints };
}

export const SECRET_PLACES: SecretPlaces = new Map(
  [...METHODS.values()].flatMap(({ name, args }) => {
    const secrets = secretsOf(args);
    return secrets === undefined ? [] : [[name, secrets] as const];
  }),
);

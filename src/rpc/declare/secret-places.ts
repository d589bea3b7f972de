// Arguments that are passphrases or private keys, gathered from the declarations. Callers: the front, which passes such bodies on unread, and the node
// thread's desk, which takes them out.
import type { KeyPlace, KeyPlaces } from '../wire/key-params.js';
import type { SecretPlaces } from '../wire/secret-params.js';
import { METHODS } from './methods.js';
import type { ArgSpec } from './types.js';

export const SECRET_PLACES: SecretPlaces = new Map(
  [...METHODS.values()].flatMap(({ name, args }) => {
    const secret = args.map((arg, at) => ({ at, arg })).filter(({ arg }) => arg.secret === true);
    return secret.length === 0 ? [] : [[name, secret.map(({ at, arg }) => ({ at, names: arg.name.split('|') }))] as const];
  }),
);

/** Ways from an argument down to the private keys in it. */
function pathsIn(arg: ArgSpec): string[][] {
  if (arg.privateKey) return [[]];
  return (arg.inner ?? []).flatMap((inner) => pathsIn(inner).map((rest) => [arg.type === 'arr' ? '*' : inner.name, ...rest]));
}

export const KEY_PLACES: KeyPlaces = new Map(
  [...METHODS.values()].flatMap(({ name, args }) => {
    const places = args.flatMap((arg, at): KeyPlace[] => pathsIn(arg).map((path) => ({ at, names: arg.name.split('|'), path })));
    return places.length === 0 ? [] : [[name, places] as const];
  }),
);

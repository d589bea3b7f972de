// Arguments that are passphrases, gathered from the declarations. Callers: the front, which passes such bodies on unread, and the node
// thread's desk, which takes the passphrases out.
import type { SecretPlaces } from '../wire/secret-params.js';
import { METHODS } from './methods.js';

export const SECRET_PLACES: SecretPlaces = new Map(
  [...METHODS.values()].flatMap(({ name, args }) => {
    const secret = args.map((arg, at) => ({ at, arg })).filter(({ arg }) => arg.secret === true);
    return secret.length === 0 ? [] : [[name, secret.map(({ at, arg }) => ({ at, names: arg.name.split('|') }))] as const];
  }),
);

// All methods by name. A method that is not here does not exist.

import { type Compat, shows } from '../../policy/compat.js';
import * as specs from '../methods/specs.js';
import type { MethodSpec } from './types.js';
import { type VersionedMethod, versioned } from './versions.js';

const SPECS: readonly MethodSpec[] = Object.values(specs);

/** Declarations by method name. */
export const METHODS: ReadonlyMap<string, MethodSpec> = new Map(SPECS.map((spec) => [spec.name, spec]));

const made = new Map<string, ReadonlyMap<string, VersionedMethod>>();

/**
 * Returns the declarations of all existing methods, adapted to a release. Computed once.
 * @param wallets false with -disablewallet: methods of wallets do not exist
 */
export function methodsOf(wallets: boolean, compat: Compat): ReadonlyMap<string, VersionedMethod> {
  const key = `${compat.name} ${wallets}`;
  let methods = made.get(key);
  if (methods === undefined) {
    const there = SPECS.filter((spec) => shows(compat, spec) && (wallets || spec.category !== 'wallet'));
    made.set(key, (methods = new Map(there.map((spec) => [spec.name, versioned(spec, compat)]))));
  }
  return methods;
}

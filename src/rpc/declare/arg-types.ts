// JSON types of arguments, and whether an argument may be omitted.
import type { CheckedType } from '../args.js';
import type { ArgSpec } from './types.js';

/** Returns whether an argument may be omitted. */
export const isOptional = (arg: ArgSpec): boolean => arg.optional === true || arg.default !== undefined;

/** JSON types of argument types. A type that is missing here accepts several JSON types. */
export const JSON_TYPES: Partial<Record<ArgSpec['type'], CheckedType>> = {
  str: 'string',
  hex: 'string',
  num: 'number',
  bool: 'bool',
  obj: 'object',
  'obj-user-keys': 'object',
  arr: 'array',
};

// Makes miniscript nodes with their type and limits.
import type { Fragment, MiniscriptContext, MiniscriptNode, NodeFields } from './fragment.js';
import { limitsOf } from './limits.js';
import { typeOf } from './types.js';

const NO_SUBS: readonly MiniscriptNode[] = [];
const NO_KEYS: readonly number[] = [];

/** Makes a node. Fields that are not given are empty or 0. */
export function makeNode(fragment: Fragment, context: MiniscriptContext, parts: Partial<NodeFields> = {}): MiniscriptNode {
  const { subs = NO_SUBS, k = 0, hash = null, keys = NO_KEYS } = parts;
  const fields: NodeFields = { fragment, subs, k, hash, keys };
  const height = 1 + subs.reduce((most, sub) => Math.max(most, sub.height), 0);
  return { ...fields, type: typeOf(fields, context), limits: limitsOf(fields, context), height };
}

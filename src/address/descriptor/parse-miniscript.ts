// placeholder
import { DescriptorError } from './context.js';
import type { ParseState } from './parse-key.js';
import type { ScriptNode } from './script-node.js';
export function parseMiniscriptNode(_text: string, _place: 'wsh' | 'leaf', _state: ParseState): ScriptNode[] {
  throw new DescriptorError('miniscript is not read yet');
}

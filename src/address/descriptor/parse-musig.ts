// placeholder

import { DescriptorError } from './context.js';
import type { KeyExpression } from './key-expression.js';
import type { KeyPlace, ParseState } from './parse-key.js';
export function parseMusig(_text: string, _place: KeyPlace, _state: ParseState): KeyExpression[] {
  throw new DescriptorError('musig() is not read yet');
}

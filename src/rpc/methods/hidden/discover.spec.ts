// Declares rpc.discover, the OpenRPC specification's name for asking a server what it can do; types.ts says what a
// declaration is for.
import { arr, bool, dyn, elision, obj, str } from '../../declare/parts.js';
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

/** Schemas are left open: JSON Schema describes them. */
const schema: ResultSpec = dyn('schema', 'JSON Schema, draft 7');
const METHOD_OBJECT: readonly ResultSpec[] = [
  str('name', 'Its name'),
  str('summary', 'The first line of what it does'),
  str('description', 'Its help page'),
  arr('tags', '', [obj([str('name', 'Its category')])]),
  str('paramStructure', 'either: arguments by position or by name'),
  arr('params', '', [
    obj('An argument', [
      str('name', 'Its name'),
      str('description', 'What it is'),
      bool('required', 'Whether it has to be there'),
      schema,
      arr('x-aliases?', '', [str('Another name for it')]),
    ]),
  ]),
  obj('result', '', [str('name', 'result'), schema]),
  arr('examples', '', [obj('A call', [str('name', 'Its name'), arr('params', 'Its arguments: name and value', [dyn()])])]),
];

export const discover: MethodSpec = {
  name: 'rpc.discover',
  category: 'hidden',
  moved: { since: 32, category: 'control' },
  runs: 'front',
  description: 'The OpenRPC document: every method with its arguments, results and examples, as data.',
  args: [],
  results: [
    obj([
      str('openrpc', 'Version of the specification'),
      obj('info', 'About the document', [
        str('title', 'Its title'),
        str('version', 'The release of Bitcoin Core whose calls these are'),
        str('description', 'A sentence about them'),
      ]),
      arr('methods', 'The methods', [obj('A method object of the specification', [elision({ of: METHOD_OBJECT })])]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};

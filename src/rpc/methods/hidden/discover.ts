// rpc.discover: how OpenRPC clients ask a server for its methods.

import { declare } from '../../declare/parameters.js';
import { arr, bool, dyn, elision, obj, str } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';
import type { FrontRun } from '../../front/context.js';
import { documentOf } from '../../front/simple.js';

/** The content of schemas is not declared, because JSON Schema defines it. */
const schema: ResultSpec = dyn('schema', 'JSON Schema, draft 7');
const METHOD_OBJECT: readonly ResultSpec[] = [
  str('name', 'Its name'),
  str('summary', 'First line of the description'),
  str('description', 'Help page of the method'),
  arr('tags', '', [obj([str('name', 'Category of the method')])]),
  str('paramStructure', '"either": the method takes arguments by position or by name'),
  arr('params', '', [
    obj('An argument', [
      str('name', 'Its name'),
      str('description', 'Description of the argument'),
      bool('required', 'Whether the argument is required'),
      schema,
      arr('x-aliases?', '', [str('Another name of the argument')]),
    ]),
  ]),
  obj('result', '', [str('name', 'Name of the result'), schema]),
  arr('examples', '', [obj('An example call', [str('name', 'Its name'), arr('params', 'Names and values of the arguments', [dyn()])])]),
];

export const spec = declare({
  name: 'rpc.discover',
  category: 'hidden',
  moved: { since: 32, category: 'control' },
  runs: 'front',
  description: 'Returns the OpenRPC document: every method with its arguments, results and examples, as data.',
  args: [],
  results: [
    obj([
      str('openrpc', 'Version of the specification'),
      obj('info', 'Information about the document', [
        str('title', 'Title of the document'),
        str('version', 'The release of Bitcoin Core that the calls follow'),
        str('description', 'Description of the document'),
      ]),
      arr('methods', 'The methods', [obj('A method object of the specification', [elision({ of: METHOD_OBJECT })])]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const discover: FrontRun<typeof spec> = (_, ctx) => documentOf(ctx, true);

// Declares rpc.discover, the OpenRPC specification's name for asking a server what it can do; types.ts says what a
// declaration is for.
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

/** Schemas are left open: JSON Schema describes them. */
const schema: ResultSpec = { type: 'obj-dyn', key: 'schema', help: 'JSON Schema, draft 7' };
const METHOD_OBJECT: readonly ResultSpec[] = [
  { type: 'str', key: 'name', help: 'Its name' },
  { type: 'str', key: 'summary', help: 'The first line of what it does' },
  { type: 'str', key: 'description', help: 'Its help page' },
  { type: 'arr', key: 'tags', help: '', inner: [{ type: 'obj', help: '', inner: [{ type: 'str', key: 'name', help: 'Its category' }] }] },
  { type: 'str', key: 'paramStructure', help: 'either: arguments by position or by name' },
  {
    type: 'arr',
    key: 'params',
    help: '',
    inner: [
      {
        type: 'obj',
        help: 'An argument',
        inner: [
          { type: 'str', key: 'name', help: 'Its name' },
          { type: 'str', key: 'description', help: 'What it is' },
          { type: 'bool', key: 'required', help: 'Whether it has to be there' },
          schema,
          { type: 'arr', key: 'x-aliases', optional: true, help: '', inner: [{ type: 'str', help: 'Another name for it' }] },
        ],
      },
    ],
  },
  { type: 'obj', key: 'result', help: '', inner: [{ type: 'str', key: 'name', help: 'result' }, schema] },
  {
    type: 'arr',
    key: 'examples',
    help: '',
    inner: [
      {
        type: 'obj',
        help: 'A call',
        inner: [
          { type: 'str', key: 'name', help: 'Its name' },
          { type: 'arr', key: 'params', help: 'Its arguments: name and value', inner: [{ type: 'obj-dyn', help: '' }] },
        ],
      },
    ],
  },
];

export const discover: MethodSpec = {
  name: 'rpc.discover',
  category: 'hidden',
  runs: 'front',
  description: 'The OpenRPC document: every method with its arguments, results and examples, as data.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'openrpc', help: 'Version of the specification' },
        {
          type: 'obj',
          key: 'info',
          help: 'About the document',
          inner: [
            { type: 'str', key: 'title', help: 'Its title' },
            { type: 'str', key: 'version', help: 'The release of Bitcoin Core whose calls these are' },
            { type: 'str', key: 'description', help: 'A sentence about them' },
          ],
        },
        {
          type: 'arr',
          key: 'methods',
          help: 'The methods',
          inner: [{ type: 'obj', help: 'A method object of the specification', inner: [{ type: 'elision', help: '', of: METHOD_OBJECT }] }],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};

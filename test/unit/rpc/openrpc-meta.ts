// The schema of an OpenRPC document according to its specification, 1.3.2 (spec.open-rpc.org): required fields, their
// types, and no other fields except those that begin with x-. Schemas within it are JSON Schema draft 7, as far as a
// document may use them here.
import type { Schema } from '../../framework/schema-faults.js';

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const listOf = (items: Schema): Schema => ({ type: 'array', items });
/** Schema of an object with these fields and extensions. */
const record = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
  patternProperties: { '^x-': {} },
  additionalProperties: false,
});

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const members: Record<string, Schema> = {};
const jsonSchema: Schema = { type: ['object', 'boolean'], properties: members, additionalProperties: false };
const count: Schema = { type: 'number' };
const schemasByName: Schema = { type: 'object', additionalProperties: jsonSchema };
Object.assign(members, {
  title: text,
  description: text,
  default: {},
  type: {
    anyOf: [
      { type: 'string', enum: TYPES },
      { type: 'array', items: { type: 'string', enum: TYPES }, minItems: 1 },
    ],
  },
  enum: { type: 'array', items: {} },
  pattern: text,
  properties: schemasByName,
  patternProperties: schemasByName,
  required: listOf(text),
  additionalProperties: jsonSchema,
  items: { anyOf: [jsonSchema, { type: 'array', items: jsonSchema, minItems: 1 }] },
  minItems: count,
  maxItems: count,
  anyOf: { type: 'array', items: jsonSchema, minItems: 1 },
} satisfies Record<string, Schema>);

const link = record({ description: text, url: text }, 'url');
const tag = record({ name: text, description: text, externalDocs: link }, 'name');
const content = record(
  { name: text, description: text, summary: text, schema: jsonSchema, required: flag, deprecated: flag },
  'name',
  'schema',
);
const example = record({ name: text, summary: text, description: text, value: {} }, 'name', 'value');
const pairing = record({ name: text, description: text, summary: text, params: listOf(example), result: example }, 'name', 'params');
const error = record({ code: { type: 'number' }, message: text, data: {} }, 'code', 'message');
const method = record(
  {
    name: text,
    summary: text,
    description: text,
    tags: listOf(tag),
    paramStructure: { type: 'string', enum: ['by-position', 'by-name', 'either'] },
    params: listOf(content),
    result: content,
    errors: listOf(error),
    examples: listOf(pairing),
    deprecated: flag,
    externalDocs: link,
  },
  'name',
  'params',
);
const info = record(
  {
    title: text,
    description: text,
    version: text,
    termsOfService: text,
    contact: record({ name: text, url: text, email: text }),
    license: record({ name: text, url: text }),
  },
  'title',
  'version',
);
const server = record({ name: text, url: text, summary: text, description: text }, 'url');

export const OPENRPC_META: Schema = record(
  {
    openrpc: { type: 'string', pattern: '^1\\.3\\.[0-9]+$' },
    info,
    servers: listOf(server),
    methods: listOf(method),
    components: { type: 'object' },
    externalDocs: link,
  },
  'openrpc',
  'info',
  'methods',
);

// Lists the violations of a JSON schema (draft 7) by a value. Supports the parts of draft 7 that the OpenRPC document
// uses. Independent of the code that writes this document.

/** A schema. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/**
 * @param strict true: members that the schema does not name are violations too, unless it allows additional members
 * @returns one line per violation
 */
export function schemaFaults(schema: Schema, value: unknown, strict = false, at = '$'): string[] {
  if (schema.anyOf) {
    const tried = schema.anyOf.map((one) => schemaFaults(one, value, strict, at));
    return tried.reduce((best, one) => (one.length < best.length ? one : best));
  }
  const type = typeOf(value);
  if (schema.type !== undefined && ![schema.type].flat().includes(type))
    return [`${at}: ${type} instead of ${[schema.type].flat().join('|')}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at}: ${String(value)} is none of ${schema.enum.join(', ')}`];
  if (schema.pattern !== undefined && typeof value === 'string' && !new RegExp(schema.pattern).test(value)) return [`${at}: ${value}`];
  if (Array.isArray(value)) return arrayFaults(schema, value, strict, at);
  return type === 'object' ? objectFaults(schema, value as Readonly<Record<string, unknown>>, strict, at) : [];
}

function arrayFaults(schema: Schema, value: readonly unknown[], strict: boolean, at: string): string[] {
  const out: string[] = [];
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minItems || value.length > maxItems) out.push(`${at}: ${value.length} members`);
  for (const [i, one] of value.entries()) {
    const item = Array.isArray(items) ? items[i] : items;
    if (item) out.push(...schemaFaults(item, one, strict, `${at}[${i}]`));
    else if (strict) out.push(`${at}[${i}]: of no schema`);
  }
  return out;
}

function objectFaults(schema: Schema, value: Readonly<Record<string, unknown>>, strict: boolean, at: string): string[] {
  const out: string[] = [];
  for (const [key, one] of Object.entries(value)) {
    const byPattern = Object.entries(schema.patternProperties ?? {}).find(([pattern]) => new RegExp(pattern).test(key))?.[1];
    const member = schema.properties?.[key] ?? byPattern ?? schema.additionalProperties ?? !strict;
    if (member === false) out.push(`${at}.${key}: unknown`);
    else if (member !== true) out.push(...schemaFaults(member, one, strict, `${at}.${key}`));
  }
  for (const key of schema.required ?? []) if (!Object.hasOwn(value, key)) out.push(`${at}: without ${key}`);
  return out;
}

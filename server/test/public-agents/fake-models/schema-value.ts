/** A JSON Schema, as models are given it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Deeper than this a recursive schema gets null. */
const DEEPEST = 8;

/** Makes a value of a JSON Schema: the smallest that is allowed. `values` has values of properties by name. */
export function valueOf(schema: JsonSchema, values: Readonly<Record<string, unknown>>): unknown {
  return make(schema, schema, values, 0);
}

function make(
  schema: JsonSchema,
  root: JsonSchema,
  values: Readonly<Record<string, unknown>>,
  depth: number,
): unknown {
  if (depth > DEEPEST) return null;
  const inner = (part: unknown): unknown => make(schemaOf(part), root, values, depth + 1);
  if (typeof schema['$ref'] === 'string') return inner(resolve(root, schema['$ref']));
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) {
    return inner(choices.find((one) => schemaOf(one)['type'] !== 'null') ?? choices[0]);
  }
  if (Array.isArray(schema['allOf'])) {
    return Object.assign({}, ...schema['allOf'].map((part) => inner(part) as object)); // all parts describe one object
  }
  switch (typeOf(schema)) {
    case 'object': {
      const properties = Object.entries(schemaOf(schema['properties'])).map(([name, part]) => [
        name,
        name in values ? values[name] : inner(part),
      ]);
      return Object.fromEntries(properties) as unknown;
    }
    case 'array':
      return schema['maxItems'] === 0 ? [] : [inner(schema['items'])];
    case 'integer':
    case 'number':
      return schema['minimum'] ?? schema['exclusiveMinimum'] ?? 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return textOf(schema);
  }
}

/** The named type, or what the other keywords mean. */
function typeOf(schema: JsonSchema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type.find((one) => one !== 'null');
  // Google writes them in capitals.
  if (typeof type === 'string') return type.toLowerCase();
  if ('properties' in schema) return 'object';
  return 'items' in schema ? 'array' : 'string';
}

function textOf(schema: JsonSchema): string {
  switch (schema['format']) {
    case 'date-time':
      return '2026-01-02T03:04:05Z';
    case 'date':
      return '2026-01-02';
    case 'uri':
      return 'https://example.org/';
    case 'email':
      return 'somebody@example.org';
    default:
      return 'something';
  }
}

function resolve(root: JsonSchema, reference: string): unknown {
  const path = reference.replace(/^#\//, '').split('/');
  return path.reduce<unknown>((part, key) => schemaOf(part)[key], root);
}

function schemaOf(part: unknown): JsonSchema {
  return typeof part === 'object' && part !== null ? (part as JsonSchema) : {}; // what JSON objects are
}

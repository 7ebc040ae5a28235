import { isRecord } from '../../api/json-record.ts';

/** A JSON schema, as loose as agents write them. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The kind of input for a value. `json` is used where no better field is known. */
export type FieldKind =
  'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'texts' | 'messages' | 'object' | 'json';

export interface SchemaField {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly initial: unknown;
  /** Of a `choice`. */
  readonly choices: readonly unknown[];
  /** Of an `object`. */
  readonly fields: readonly SchemaField[];
}

const deepest = 4;

/** The fields of a schema of objects, in its order; none where it declares no members. */
export function schemaFields(schema: JsonSchema): readonly SchemaField[] {
  return fieldsOf(schema, schema, 0);
}

function fieldsOf(schema: JsonSchema, root: JsonSchema, depth: number): readonly SchemaField[] {
  const resolved = resolve(schema, root);
  const properties = isRecord(resolved['properties']) ? resolved['properties'] : {};
  const required = Array.isArray(resolved['required']) ? resolved['required'] : [];
  return Object.entries(properties).map(([name, property]) =>
    fieldOf(name, isRecord(property) ? property : {}, {
      root,
      depth,
      isRequired: required.includes(name),
    }),
  );
}

function fieldOf(
  name: string,
  schema: JsonSchema,
  { root, depth, isRequired }: { root: JsonSchema; depth: number; isRequired: boolean },
): SchemaField {
  const resolved = resolve(schema, root);
  const kind = kindOf(name, resolved, root, depth);
  return {
    name,
    label: name,
    kind,
    description: typeof resolved['description'] === 'string' ? resolved['description'] : undefined,
    isRequired,
    initial: resolved['default'] ?? undefined,
    choices: choicesOf(resolved),
    fields: kind === 'object' ? fieldsOf(resolved, root, depth + 1) : [],
  };
}

function kindOf(name: string, schema: JsonSchema, root: JsonSchema, depth: number): FieldKind {
  if (choicesOf(schema).length > 0) return 'choice';
  if (name === 'messages' && (schema['type'] === 'array' || schema['type'] === undefined)) {
    return 'messages';
  }
  switch (schema['type']) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
    case 'boolean':
      return schema['type'];
    case 'array': {
      const items = isRecord(schema['items']) ? resolve(schema['items'], root) : {};
      return items['type'] === 'string' && choicesOf(items).length === 0 ? 'texts' : 'json';
    }
    case 'object':
      return depth < deepest && isRecord(schema['properties']) ? 'object' : 'json';
    default:
      return 'json';
  }
}

function choicesOf(schema: JsonSchema): readonly unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return 'const' in schema ? [schema['const']] : [];
}

/** Follows `$ref` within the document and chooses the only branch that is not null. */
function resolve(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  if (depth > 16) return {};
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const found = at(root, reference);
    return found === undefined
      ? {}
      : resolve({ ...found, ...without(schema, '$ref') }, root, depth + 1);
  }
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const branches = schema[key];
    if (!Array.isArray(branches)) continue;
    const real = branches.filter((branch) => isRecord(branch) && branch['type'] !== 'null');
    const [only] = real;
    if (real.length === 1 && isRecord(only)) {
      return resolve({ ...only, ...without(schema, key) }, root, depth + 1);
    }
  }
  if (Array.isArray(schema['type'])) {
    const types = schema['type'].filter((type) => type !== 'null');
    return { ...schema, type: types.length === 1 ? types[0] : undefined };
  }
  return schema;
}

function at(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (!reference.startsWith('#/')) return undefined;
  let target: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    target = isRecord(target) ? target[key] : undefined;
  }
  return isRecord(target) ? target : undefined;
}

function without(schema: JsonSchema, key: string): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));
}

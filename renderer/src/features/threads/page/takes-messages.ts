/** Whether an agent's input has a list of messages: then a sentence is an input. */
export function takesMessages(schema: unknown): boolean {
  if (!isFields(schema)) return false;
  if (isFields(schema['properties'])) return isFields(schema['properties']['messages']);
  // Some schemas are a reference to one of their definitions.
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
  const definitions = schema['$defs'] ?? schema['definitions'];
  return (
    name !== undefined &&
    isFields(definitions) &&
    definitions[name] !== schema &&
    takesMessages(definitions[name])
  );
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

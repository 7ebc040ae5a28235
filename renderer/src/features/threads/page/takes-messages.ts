import { isRecord } from '../../../api/json-record.ts';

/** Whether an agent's input has a list of messages: then a text can be sent as input. */
export function takesMessages(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  if (isRecord(schema['properties'])) return isRecord(schema['properties']['messages']);
  // Some schemas are a reference to one of their definitions.
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
  const definitions = schema['$defs'] ?? schema['definitions'];
  return (
    name !== undefined &&
    isRecord(definitions) &&
    definitions[name] !== schema &&
    takesMessages(definitions[name])
  );
}

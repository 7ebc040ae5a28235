import { isObject } from '../../model/json.ts';

/** A tool as MCP describes it (specification 2025-11-25, Server Features, Tools). */
export interface McpTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations: Record<string, boolean>;
}

/** An assistant that is a tool. */
export interface ToolSource {
  assistant_id: string;
  graph_id: string;
  name: string;
  description: string | null;
}

const NAME_CHARS = 128;

/** The name of an assistant as one of a tool: MCP allows letters, digits, `_`, `-` and `.`. */
export function toolName(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '_').slice(0, NAME_CHARS);
}

/** Of assistants whose tools would have the same name, the first. */
export function toolsByName(assistants: readonly ToolSource[]): Map<string, ToolSource> {
  const byName = new Map<string, ToolSource>();
  for (const assistant of assistants) {
    const name = toolName(assistant.name);
    if (!byName.has(name)) byName.set(name, assistant);
  }
  return byName;
}

/** The tool of an assistant whose agent takes this input. */
export function presentTool(
  name: string,
  { name: title, description }: ToolSource,
  input: unknown,
): McpTool {
  return {
    name,
    title,
    description: description ?? `Runs the agent ${title}.`,
    inputSchema: toolSchema(input),
    // What an agent does is not known.
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
  };
}

const message = {
  type: 'object',
  properties: {
    role: { type: 'string', enum: ['user', 'assistant', 'system'] },
    content: { type: 'string' },
  },
  required: ['role', 'content'],
};

/** LangChain's own types: models that see twenty of them for a list of messages write none of them well. */
const ofLangChain =
  /^(?:(?:AI|Human|Chat|System|Function|Tool)Message(?:Chunk)?|(?:Invalid)?ToolCall(?:Chunk)?|UsageMetadata|(?:In|Out)putTokenDetails)$/;

/** The schema of an agent's input, of an object, in which a message is a role and a text. */
function toolSchema(schema: unknown): Record<string, unknown> {
  if (!isObject(schema)) return { type: 'object' };
  const { properties, $defs, ...rest } = schema;
  const definitions = Object.entries(isObject($defs) ? $defs : {});
  const kept = definitions.filter(([name]) => !ofLangChain.test(name));
  return {
    ...rest,
    type: 'object',
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, withMessages(one)]),
      ),
    }),
    ...(kept.length > 0 && { $defs: Object.fromEntries(kept) }),
  };
}

function withMessages(property: unknown): unknown {
  if (!isObject(property) || !isObject(property['items'])) return property;
  const { oneOf, anyOf } = property['items'];
  const kinds: unknown = oneOf ?? anyOf;
  const isMessages = Array.isArray(kinds) && kinds.some(isMessageReference);
  return isMessages ? { ...property, items: message } : property;
}

function isMessageReference(kind: unknown): boolean {
  const [, name] = /^#\/\$defs\/(\w+)$/.exec(isObject(kind) ? String(kind['$ref']) : '') ?? [];
  return name !== undefined && ofLangChain.test(name);
}

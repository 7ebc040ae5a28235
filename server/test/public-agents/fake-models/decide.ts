// The output of the scripted model: once a tool, where tools are offered, then a text; always a value of the schema asked for.
import { randomUUID } from 'node:crypto';
import { valueOf, type JsonSchema } from './schema-value.ts';

export interface OfferedTool {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** A request to a model, whatever the API that it came by. */
export interface Prompt {
  readonly tools: readonly OfferedTool[];
  /** `auto`: the model may call a tool; `required`: it must; `none`: it may not; otherwise the tool it must call. */
  readonly choice: 'auto' | 'required' | 'none' | { readonly name: string };
  /** The text has to be JSON of this schema. */
  readonly schema?: JsonSchema;
  /** How many tools have returned since the last message of the user. */
  readonly toolResults: number;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** One turn of the model: a text, or calls of tools. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

export interface Script {
  /** Tools by name in the order in which they are called, where they are offered; otherwise the first one offered. */
  readonly calls?: readonly string[];
  /** Values of properties, by their name, wherever a schema has them. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** The final text. */
  readonly text?: string;
}

/** Tools that end a conversation: models that must call one would continue for ever. */
const closing = /done|finish|complete|respond|answer|submit|final|end/i;

/** Gives the turn of the scripted model. */
export function decide(prompt: Prompt, script: Script = {}): Turn {
  const { values = {}, text = 'This is the answer of the scripted model.' } = script;
  const tool = toolOf(prompt, script);
  if (tool !== undefined) {
    const args = valueOf(tool.schema, values);
    const id = `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
    return { text: '', calls: [{ id, name: tool.name, args }] };
  }
  if (prompt.schema === undefined) return { text, calls: [] };
  return { text: JSON.stringify(valueOf(prompt.schema, values)), calls: [] };
}

function toolOf({ tools, choice, toolResults }: Prompt, script: Script): OfferedTool | undefined {
  if (tools.length === 0 || choice === 'none') return undefined;
  if (typeof choice === 'object') return tools.find(({ name }) => name === choice.name);
  const scripted = (script.calls ?? [])
    .slice(toolResults)
    .map((wanted) => tools.find(({ name }) => name === wanted))
    .find((tool) => tool !== undefined);
  if (scripted !== undefined) return scripted;
  if (choice === 'required') {
    const last = tools.find(({ name }) => closing.test(name));
    return toolResults === 0 ? tools[0] : (last ?? tools[0]);
  }
  return toolResults === 0 && script.calls === undefined ? tools[0] : undefined;
}

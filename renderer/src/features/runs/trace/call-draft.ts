import type { ModelCall, TraceSpan } from '../../../api/generated/types.gen.ts';
import { isRecord, type JsonRecord, textOf } from '../../../api/json-record.ts';
import { readMessage } from '../../../ui/messages/read-message.ts';
import { jsonIn, pretty } from '../composer/written-value.ts';

/** A message while it is being edited: role and text, or the whole of it as JSON. */
export interface DraftMessage {
  readonly id: number;
  /** What it was recorded as; of the text form, role and text are changed in it. */
  readonly value: JsonRecord;
  readonly isJson: boolean;
  /** The whole message as JSON, also when that is incomplete. */
  readonly json: string;
}

/** A model call while it is being edited. */
export interface CallDraft {
  readonly messages: readonly DraftMessage[];
  readonly paramsText: string;
}

/** What is wrong with a draft, by its part. */
export interface CallProblems {
  readonly messages: ReadonlyMap<number, string>;
  readonly params?: string;
  /** About the messages as a whole. */
  readonly all?: string;
}

/** Roles that can be chosen, and their types in LangChain. */
const types: Readonly<Record<string, string>> = {
  user: 'human',
  assistant: 'ai',
  system: 'system',
  tool: 'tool',
};
export const roles: readonly string[] = Object.keys(types);

let made = 0;

/** The recorded call, to be edited. */
export function draftOf({ input, params }: Pick<TraceSpan, 'input' | 'params'>): CallDraft {
  const recorded = messagesIn(input);
  return {
    messages: (recorded.length > 0 ? recorded : [{ type: 'human', content: '' }]).map(messageOf),
    paramsText: isRecord(params) && !isCut(params) ? pretty(params) : '',
  };
}

/** A message of the draft; one without a plain text is edited as JSON. */
function messageOf(value: JsonRecord): DraftMessage {
  const calls = value['tool_calls'];
  const isPlain =
    typeof value['content'] === 'string' && !(Array.isArray(calls) && calls.length > 0);
  made += 1;
  return { id: made, value, isJson: !isPlain, json: pretty(value) };
}

/** An empty message for the end of the list. */
export function emptyMessage(): DraftMessage {
  return messageOf({ type: 'human', content: '' });
}

/** The role as the messages of a conversation show it. */
export function roleOf({ value }: DraftMessage): string {
  return readMessage(value).role;
}

/** The message with another text. */
export function withText(message: DraftMessage, content: string): DraftMessage {
  return { ...message, value: { ...message.value, content } };
}

/** The message with another role, without what belongs to the one before. The result of a tool names its call: as JSON. */
export function withRole(message: DraftMessage, role: string): DraftMessage {
  const value = { type: types[role] ?? role, content: message.value['content'] };
  if (role !== 'tool') return { ...message, value };
  const result = { ...value, tool_call_id: '' };
  return { ...message, value: result, isJson: true, json: pretty(result) };
}

/** The message in its other form; JSON that is no message with a plain text stays JSON. */
export function inOtherForm(message: DraftMessage): DraftMessage {
  if (!message.isJson) return { ...message, isJson: true, json: pretty(message.value) };
  const read = jsonIn(message.json);
  if (!('value' in read) || !isRecord(read.value)) return message;
  return typeof read.value['content'] === 'string'
    ? { ...message, value: read.value, isJson: false }
    : message;
}

/** The request of a draft, or what has to be fixed first. */
export function requestOf(
  spanId: string,
  { messages, paramsText }: CallDraft,
): { readonly body: ModelCall } | { readonly problems: CallProblems } {
  const found = new Map<number, string>();
  const given = messages.map(({ id, isJson, json, value }) => {
    if (!isJson) return value;
    const read = jsonIn(json);
    if ('value' in read && isRecord(read.value)) return read.value;
    found.set(id, 'problem' in read ? read.problem : 'This has to be a JSON object.');
    return {};
  });
  const params = paramsIn(paramsText);
  const all = messages.length === 0 ? 'A call needs a message.' : undefined;
  if (found.size > 0 || all !== undefined || 'problem' in params) {
    return {
      problems: {
        messages: found,
        ...('problem' in params && { params: params.problem }),
        ...(all !== undefined && { all }),
      },
    };
  }
  const { value } = params;
  return { body: { span_id: spanId, messages: given, ...(value && { params: value }) } };
}

/** Empty: those of the recorded call. */
function paramsIn(
  text: string,
): { readonly value: Record<string, unknown> | undefined } | { readonly problem: string } {
  if (text.trim() === '') return { value: undefined };
  const read = jsonIn(text);
  if ('problem' in read) return read;
  return isRecord(read.value)
    ? { value: read.value }
    : { problem: 'This has to be a JSON object.' };
}

/** What the editor cannot start with, because it is not recorded. */
export function missingIn({
  input,
  params,
}: Pick<TraceSpan, 'input' | 'params'>): string | undefined {
  if (input === undefined) return 'The prompt is not recorded: enter its messages.';
  if (isCut(input)) return 'The prompt was too large to be recorded whole: enter its messages.';
  if (isCut(params)) return 'The parameters were too large to be recorded whole: enter them.';
  return undefined;
}

/** The messages of a prompt, which may be a list of lists. */
function messagesIn(input: unknown): JsonRecord[] {
  return Array.isArray(input) ? (input as unknown[]).flat().filter(isRecord) : [];
}

function isCut(value: unknown): boolean {
  return isRecord(value) && value['truncated'] === true && textOf(value, 'preview') !== undefined;
}

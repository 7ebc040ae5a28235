import { isRecord, textOf } from '../../../api/json-record.ts';
import { inspectorModes } from '../../../api/send-run.ts';
import { jsonIn, pretty, valueIn, type WrittenValue, writtenOf } from './written-value.ts';

/** How a run starts: with an input, from the head without one, or with LangGraph's Command. */
export type Start = 'input' | 'continue' | 'command';

/** The state of the composer. JSON parts are texts, so that incomplete ones are kept. */
export interface Draft {
  readonly agentId: string;
  /** The id of the preset that it was filled from; what was filled in may have changed since. */
  readonly presetId?: string | undefined;
  readonly start: Start;
  readonly input: WrittenValue;
  /** Empty: the defaults, or the context of the run that it continues. */
  readonly context: WrittenValue;
  readonly commandText: string;
  readonly configurableText: string;
  readonly tags: readonly string[];
  readonly recursionLimit: number | undefined;
  readonly metadataText: string;
  readonly streamModes: readonly string[];
  readonly isSubgraphs: boolean;
  readonly interruptBefore: readonly string[];
  readonly interruptAfter: readonly string[];
  readonly checkpointId: string;
  readonly checkpointNs: string;
  readonly multitask: string;
  readonly durability: string;
  readonly wait: string;
}

/** An empty run of an agent. */
export function emptyDraft(agentId: string): Draft {
  return {
    agentId,
    start: 'input',
    input: { value: {}, isText: false, text: '{}' },
    context: noContext,
    commandText: '{\n  "resume": null\n}',
    configurableText: '',
    tags: [],
    recursionLimit: undefined,
    metadataText: '',
    streamModes: [...inspectorModes],
    isSubgraphs: true,
    interruptBefore: [],
    interruptAfter: [],
    checkpointId: '',
    checkpointNs: '',
    multitask: 'enqueue',
    durability: 'async',
    wait: '',
  };
}

/** Omitted from the request. */
export const noContext: WrittenValue = { value: {}, isText: false, text: '' };

/** The draft of a sent request. */
export function draftOf(agentId: string, body: Readonly<Record<string, unknown>>): Draft {
  const empty = emptyDraft(textOf(body, 'agent_id') ?? agentId);
  const config = isRecord(body['config']) ? body['config'] : {};
  const checkpoint = isRecord(body['checkpoint']) ? body['checkpoint'] : {};
  const input = body['input'] ?? undefined;
  const limit = config['recursion_limit'];
  return {
    ...empty,
    start: isRecord(body['command']) ? 'command' : input === undefined ? 'continue' : 'input',
    input: input === undefined ? empty.input : writtenOf(input),
    context: isRecord(body['context']) ? contextOf(body['context']) : empty.context,
    commandText: isRecord(body['command']) ? pretty(body['command']) : empty.commandText,
    configurableText: isRecord(config['configurable']) ? pretty(config['configurable']) : '',
    tags: texts(config['tags']),
    recursionLimit: typeof limit === 'number' ? limit : undefined,
    metadataText: isRecord(body['metadata']) ? pretty(body['metadata']) : '',
    streamModes: 'stream_mode' in body ? texts([body['stream_mode']].flat()) : empty.streamModes,
    isSubgraphs: body['stream_subgraphs'] !== false,
    interruptBefore: texts([body['interrupt_before']].flat()),
    interruptAfter: texts([body['interrupt_after']].flat()),
    checkpointId: textOf(checkpoint, 'checkpoint_id') ?? '',
    checkpointNs: textOf(checkpoint, 'checkpoint_ns') ?? '',
    multitask: textOf(body, 'multitask_strategy') ?? empty.multitask,
    durability: textOf(body, 'durability') ?? empty.durability,
  };
}

/** A context without members is not the same as an empty form. */
function contextOf(sent: Record<string, unknown>): WrittenValue {
  return { ...writtenOf(sent), isText: Object.keys(sent).length === 0 };
}

/** Whether a context is sent with the run. */
export function isContextGiven({ context: { isText, value, text } }: Draft): boolean {
  return isText ? given(text) : Object.keys(value).length > 0;
}

/** What is wrong with a draft, by its part. */
export type DraftProblems = Partial<
  Record<'input' | 'context' | 'command' | 'configurable' | 'metadata' | 'streamModes', string>
>;

/** The request of a draft, or what has to be fixed first. */
export function bodyOf(
  draft: Draft,
): { readonly body: Record<string, unknown> } | { readonly problems: DraftProblems } {
  const problems: DraftProblems = {};
  const taken = (
    part: 'context' | 'command' | 'configurable' | 'metadata',
    read: ReturnType<typeof jsonIn>,
  ): Record<string, unknown> => {
    if ('value' in read && isRecord(read.value)) return read.value;
    problems[part] = 'problem' in read ? read.problem : 'This has to be a JSON object.';
    return {};
  };
  const written = valueIn(draft.input);
  if ('problem' in written) problems.input = written.problem;
  const input = 'value' in written ? written.value : undefined;
  const configurable = given(draft.configurableText)
    ? taken('configurable', jsonIn(draft.configurableText))
    : undefined;
  const metadata = given(draft.metadataText)
    ? taken('metadata', jsonIn(draft.metadataText))
    : undefined;
  const command =
    draft.start === 'command' ? taken('command', jsonIn(draft.commandText)) : undefined;
  const context = isContextGiven(draft) ? taken('context', valueIn(draft.context)) : undefined;
  if (draft.streamModes.length === 0) problems.streamModes = 'Choose at least one.';
  if (Object.keys(problems).length > 0) return { problems };
  const config = {
    ...(draft.tags.length > 0 && { tags: draft.tags }),
    ...(draft.recursionLimit !== undefined && { recursion_limit: draft.recursionLimit }),
    ...(configurable !== undefined && { configurable }),
  };
  return {
    body: {
      agent_id: draft.agentId,
      ...(draft.start === 'input' && { input }),
      ...(draft.start === 'continue' && { input: null }),
      ...(command !== undefined && { command }),
      ...(context !== undefined && { context }),
      ...(Object.keys(config).length > 0 && { config }),
      ...(metadata !== undefined && { metadata }),
      stream_mode: draft.streamModes,
      ...(draft.isSubgraphs && { stream_subgraphs: true }),
      ...(draft.interruptBefore.length > 0 && { interrupt_before: nodes(draft.interruptBefore) }),
      ...(draft.interruptAfter.length > 0 && { interrupt_after: nodes(draft.interruptAfter) }),
      ...(given(draft.checkpointId) && {
        checkpoint: { checkpoint_id: draft.checkpointId, checkpoint_ns: draft.checkpointNs },
      }),
      ...(draft.multitask !== 'enqueue' && { multitask_strategy: draft.multitask }),
      ...(draft.durability !== 'async' && { durability: draft.durability }),
    },
  };
}

function nodes(names: readonly string[]): readonly string[] | '*' {
  return names.includes('*') ? '*' : names;
}

const given = (text: string): boolean => text.trim() !== '';

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

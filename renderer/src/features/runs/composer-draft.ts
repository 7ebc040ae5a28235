import { isRecord, textOf } from '../../api/json-record.ts';
import { inspectorModes } from './send-run.ts';

/** How a run begins: with an input, from the head without one, or with LangGraph's Command. */
export type Start = 'input' | 'continue' | 'command';

/** What the composer holds while it is being filled in. JSON parts are texts, so that half-written ones keep. */
export interface Draft {
  readonly agentId: string;
  readonly start: Start;
  /** What the form made; `inputText` counts instead when the JSON is edited. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly isInputText: boolean;
  readonly inputText: string;
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
    input: {},
    isInputText: false,
    inputText: '{}',
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

/** The draft of what was sent once. */
export function draftOf(agentId: string, body: Readonly<Record<string, unknown>>): Draft {
  const empty = emptyDraft(textOf(body, 'agent_id') ?? agentId);
  const config = isRecord(body['config']) ? body['config'] : {};
  const checkpoint = isRecord(body['checkpoint']) ? body['checkpoint'] : {};
  const input = isRecord(body['input']) ? body['input'] : undefined;
  const limit = config['recursion_limit'];
  return {
    ...empty,
    start: isRecord(body['command']) ? 'command' : input === undefined ? 'continue' : 'input',
    input: input ?? {},
    inputText: pretty(input ?? {}),
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

/** What is wrong with a draft, by its part. */
export type DraftProblems = Partial<
  Record<'input' | 'command' | 'configurable' | 'metadata' | 'streamModes', string>
>;

/** The request of a draft, or what has to be mended first. */
export function bodyOf(
  draft: Draft,
): { readonly body: Record<string, unknown> } | { readonly problems: DraftProblems } {
  const problems: DraftProblems = {};
  const parsed = (part: 'input' | 'command' | 'configurable' | 'metadata', text: string) => {
    const result = jsonObject(text);
    if (typeof result === 'string') problems[part] = result;
    return typeof result === 'string' ? {} : result;
  };
  const input = draft.isInputText ? parsed('input', draft.inputText) : draft.input;
  const configurable = given(draft.configurableText)
    ? parsed('configurable', draft.configurableText)
    : undefined;
  const metadata = given(draft.metadataText) ? parsed('metadata', draft.metadataText) : undefined;
  const command = draft.start === 'command' ? parsed('command', draft.commandText) : undefined;
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

function jsonObject(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : 'This has to be a JSON object.';
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON.';
  }
}

const given = (text: string): boolean => text.trim() !== '';

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

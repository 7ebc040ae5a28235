import { z } from 'zod';
import { configurableObject } from '../../contract/scalars.ts';
import { type JsonText, jsonText, toJsonText } from '../../model/json.ts';
import { RUN_DELAY_SECONDS } from '../../model/limits/limits.ts';
import type { RunStart, StreamMode } from '../../model/run/run.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { RunRequest } from '../../threads/run-request.ts';
import { objectOf, scanObject } from '../response/raw-members.ts';
import { contextOf, delayOf } from '../request/run-request.ts';
import { isInJavaScript } from './agent-language.ts';
import { askedName } from './assistants.ts';
import { optional } from './compat-route.ts';
import { withoutOuterGraph } from './outer-graph.ts';
import { keptKwargs } from './run-kwargs.ts';

const anyObject = z.record(z.string(), z.unknown(), { error: 'must be an object' });
const configurable = anyObject.transform(withoutOuterGraph).pipe(configurableObject);
const nodeNames = z.union([z.literal('*'), z.array(z.string())]);
const modes = [
  ...(['values', 'updates', 'messages', 'messages-tuple', 'custom'] as const),
  ...(['tasks', 'checkpoints', 'debug', 'events'] as const),
];

/** A stream mode by the name that LangGraph Server has for it. */
export type CompatMode = (typeof modes)[number];

const modeName = z.enum(modes, { error: `must be one of ${modes.join(', ')}` });

/** One mode or a list of them. */
export const streamMode = z.union([modeName, z.array(modeName)]);

/** The members of LangGraph Server's run body that this service supports; other members are ignored. */
export const runBody = z.object({
  assistant_id: optional(z.string()),
  input: optional(z.unknown()),
  command: optional(anyObject),
  config: optional(z.looseObject({ configurable: optional(configurable) })),
  context: optional(configurableObject),
  metadata: optional(anyObject),
  stream_mode: optional(streamMode),
  stream_subgraphs: optional(z.boolean()),
  stream_resumable: optional(z.boolean()),
  interrupt_before: optional(nodeNames),
  interrupt_after: optional(nodeNames),
  checkpoint: optional(
    z.object({ checkpoint_id: optional(z.string()), checkpoint_ns: optional(z.string()) }),
  ),
  checkpoint_id: optional(z.string()),
  checkpoint_during: optional(z.boolean()),
  durability: optional(z.enum(['async', 'sync', 'exit'])),
  multitask_strategy: optional(z.enum(['reject', 'interrupt', 'rollback', 'enqueue'])),
  on_disconnect: optional(z.enum(['continue', 'cancel'])),
  if_not_exists: optional(z.enum(['create', 'reject'])),
  webhook: optional(z.string()),
  after_seconds: optional(
    z.number().max(RUN_DELAY_SECONDS, { error: `must be at most ${RUN_DELAY_SECONDS}` }),
  ),
  feedback_keys: optional(z.array(z.string())).refine((keys = []) => keys.length === 0, {
    error: 'There is no feedback here.',
  }),
});

export type RunBody = z.infer<typeof runBody>;

/** The requested run as this service's own run request. */
export function runRequestOf(
  body: RunBody,
  members: ReadonlyMap<string, JsonText>,
  agents: AgentsPort,
): RunRequest {
  const { assistant_id: assistant, checkpoint_during: during } = body;
  const agentId = assistant === undefined ? undefined : askedName(agents, assistant);
  const kwargs = keptKwargs(body, modesOf(body));
  const checkpointId = body.checkpoint?.checkpoint_id ?? body.checkpoint_id;
  const ns = body.checkpoint?.checkpoint_ns ?? '';
  return {
    ...(agentId !== undefined && { agentId }),
    start: startOf(body, members),
    isInputFree: true,
    config: body.config ?? {},
    ...contextOf(body, members),
    metadata: body.metadata ?? {},
    ...(Object.keys(kwargs).length > 0 && { kwargs }),
    streamModes: streamModesOf(body, isInJavaScript(agents, agentId)),
    streamSubgraphs: body.stream_subgraphs ?? false,
    interruptBefore: [body.interrupt_before ?? []].flat(),
    interruptAfter: [body.interrupt_after ?? []].flat(),
    ...strategyOf(body),
    ...delayOf(body.after_seconds),
    durability: body.durability ?? (during === false ? 'exit' : 'async'),
    ...(checkpointId !== undefined &&
      checkpointId !== '' && { checkpoint: { ns, id: checkpointId } }),
  };
}

/** Runs are queued behind the other runs of their thread, unless the request names another strategy. */
function strategyOf({
  multitask_strategy: strategy,
}: RunBody): Pick<RunRequest, 'multitaskStrategy'> {
  if (strategy === undefined || strategy === 'enqueue') return {};
  return { multitaskStrategy: strategy };
}

/** The modes of a run; `values` when none is named. */
export function modesOf({ stream_mode: given }: Pick<RunBody, 'stream_mode'>): CompatMode[] {
  const named = [given ?? []].flat();
  return named.length === 0 ? ['values'] : named;
}

/** Messages of JavaScript are complete when a state has them. */
function streamModesOf(body: RunBody, isJavaScript: boolean): StreamMode[] {
  const asked = modesOf(body);
  const more: StreamMode[] = isJavaScript && asked.includes('messages') ? ['values'] : [];
  return [...new Set([...asked.map(ownMode), ...more])];
}

function ownMode(mode: CompatMode): StreamMode {
  return mode === 'messages-tuple' ? 'messages' : mode;
}

/** As in LangGraph Server, a command wins over an input. */
function startOf({ command, input }: RunBody, members: ReadonlyMap<string, JsonText>): RunStart {
  if (command !== undefined) {
    const parts = scanObject(members.get('command') ?? toJsonText(command)).members;
    const given = new Map([...parts].filter(([, text]) => text !== 'null'));
    if (given.size > 0) return { kind: 'command', json: objectOf(given) };
  }
  if (input === undefined) return { kind: 'proceed' };
  return { kind: 'input', json: members.get('input') ?? jsonText(JSON.stringify(input)) };
}

import { defaultStreamModes, type RunCreateBody } from '../../contract/run-create.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { type JsonText, toJsonText } from '../../model/json.ts';
import type { RunStart, StreamMode } from '../../model/run/run.ts';
import type { RunRequest } from '../../threads/run-request.ts';

/** The run that the body of a run creation requests. Input and command are kept as they were sent, unparsed. */
export function runRequestOf(
  body: RunCreateBody,
  members: ReadonlyMap<string, JsonText>,
  queryModes?: StreamMode | StreamMode[],
): RunRequest {
  const agentId = body.agent_id ?? body.assistant_id;
  const checkpoint = body.checkpoint ?? checkpointInConfig(body);
  return {
    ...(agentId === undefined ? {} : { agentId }),
    start: startOf(body, members),
    config: body.config ?? {},
    ...contextOf(body, members),
    metadata: body.metadata ?? {},
    streamModes: listOf(body.stream_mode ?? queryModes ?? [...defaultStreamModes]),
    streamSubgraphs: body.stream_subgraphs ?? false,
    interruptBefore: listOf(body.interrupt_before ?? []),
    interruptAfter: listOf(body.interrupt_after ?? []),
    durability: body.durability ?? 'async',
    ...strategyOf(body),
    ...delayOf(body.after_seconds),
    ...(checkpoint === undefined
      ? {}
      : { checkpoint: { ns: checkpoint.checkpoint_ns ?? '', id: checkpoint.checkpoint_id } }),
  };
}

/** LangGraph's own way to name the checkpoint to start from; like ours, the checkpoint must exist. */
function checkpointInConfig({ config }: RunCreateBody): RunCreateBody['checkpoint'] {
  const { checkpoint_id: id, checkpoint_ns: ns } = config?.configurable ?? {};
  if (typeof id !== 'string' || id === '') return undefined;
  return { checkpoint_id: id, ...(typeof ns === 'string' && { checkpoint_ns: ns }) };
}

interface Configured {
  configurable?: object | undefined;
}

/**
 * The context as it was sent, unparsed. LangGraph's server refuses a context together with members of `configurable`,
 * because it exposes each as the other.
 */
export function contextOf(
  { context, config }: { context?: object | null | undefined; config?: Configured | undefined },
  members: ReadonlyMap<string, JsonText>,
): Pick<RunRequest, 'context'> {
  if (context === undefined || context === null) return {};
  const isGiven = Object.keys(context).length > 0;
  if (isGiven && Object.keys(config?.configurable ?? {}).length > 0) {
    const message = 'config.configurable and context exclude each other';
    throw new ServiceError('invalid_request', `${message}.`, {
      details: { issues: [{ path: 'context', message }] },
    });
  }
  return { context: members.get('context') ?? toJsonText(context) };
}

/** A missing, zero or negative delay means at once. */
export function delayOf(seconds: number | null | undefined): Pick<RunRequest, 'afterMs'> {
  const afterMs = Math.round((seconds ?? 0) * 1_000);
  return afterMs > 0 ? { afterMs } : {};
}

function strategyOf({
  multitask_strategy: asked,
}: RunCreateBody): Pick<RunRequest, 'multitaskStrategy'> {
  return asked === undefined || asked === 'enqueue' ? {} : { multitaskStrategy: asked };
}

function startOf(body: RunCreateBody, members: ReadonlyMap<string, JsonText>): RunStart {
  const { input, command } = body;
  if (command !== undefined && command !== null) {
    return { kind: 'command', json: members.get('command') ?? toJsonText(command) };
  }
  if (input !== undefined && input !== null) {
    return { kind: 'input', json: members.get('input') ?? toJsonText(input) };
  }
  return { kind: 'proceed' };
}

/** The values as a list without duplicates. */
function listOf<T>(value: T | T[]): T[] {
  return Array.isArray(value) ? [...new Set(value)] : [value];
}

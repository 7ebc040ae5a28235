import { langGraphIds } from '../../model/agent-description.ts';
import type { RunView } from '../../model/run/run.ts';
import { spliced } from '../response/json-writer.ts';
import type { RunBody } from './run-body.ts';

/** A run is kept with its thread: a larger config is not shown. */
const LARGEST_CONFIG = 4_096;

/** What is kept of a request beside the run, so that clients read it back: what is not the default. */
export function keptKwargs(body: RunBody, modes: readonly string[]): Record<string, unknown> {
  const { config, interrupt_before: before, interrupt_after: after } = body;
  const isShown = config !== undefined && JSON.stringify(config).length <= LARGEST_CONFIG;
  return {
    ...(isShown && Object.keys(config).length > 0 && { config }),
    ...(modes.join() !== 'values' && { stream_mode: modes }),
    ...(before !== undefined && { interrupt_before: before }),
    ...(after !== undefined && { interrupt_after: after }),
    ...(body.webhook !== undefined && { webhook: body.webhook }),
    ...(body.stream_subgraphs === true && { subgraphs: true }),
    ...(body.stream_resumable === true && { resumable: true }),
    ...(body.durability !== undefined && { durability: body.durability }),
  };
}

/** A run's `kwargs` in LangGraph Server's form. Spec: the input of a run is not persisted. */
export function presentKwargs(run: RunView, assistantId: string): Record<string, unknown> {
  const { config, ...given } = run.kwargs ?? {};
  const { configurable, ...others } = (config ?? {}) as { configurable?: object }; // checked when it came
  const { threadId: thread_id, runUuid: run_id } = run;
  const ids = { run_id, thread_id, ...langGraphIds(run.agentId), assistant_id: assistantId };
  return {
    config: { ...others, configurable: { ...configurable, ...ids }, metadata: run.metadata },
    context: run.context === undefined ? {} : spliced(run.context),
    stream_mode: ['values'],
    interrupt_before: null,
    interrupt_after: null,
    webhook: null,
    feedback_keys: null,
    temporary: false,
    subgraphs: false,
    resumable: false,
    ...given,
  };
}

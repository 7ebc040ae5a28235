import { ServiceError } from '../errors/service-error.ts';
import type { RecordedRun, TraceSpan } from '../history/port.ts';
import { isObject, type JsonText, toJsonText } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import type { PolicyPort } from '../policy/port.ts';
import { requirePermissionInThread, type ThreadReader } from '../policy/require-permission.ts';
import { runResource } from '../policy/resources.ts';
import type { HistoryService } from './history-service.ts';
import type { AgentsPort, CalledModel, ModelCallPort } from './ports.ts';
import { gapIn } from './recorded-gaps.ts';
import type { RunKey } from './run-request.ts';

/** What calls cost, by the prices of the run history; undefined without one for the model. */
export interface CallPrices {
  costOf(model: string | undefined, usage: unknown): number | undefined;
}

export interface ModelCallPorts {
  engine: ThreadReader;
  policy: PolicyPort;
  agents: AgentsPort;
  models: ModelCallPort;
  /** Absent: the history is switched off. */
  history?: CallPrices | undefined;
}

/** A part of a request: parsed, and as it was sent. */
interface Given<T> {
  value: T;
  json: JsonText;
}

export interface ModelCallRequest {
  spanId: string;
  messages: Given<Record<string, unknown>[]>;
  /** Absent: those of the recorded call. */
  params?: Given<Record<string, unknown>>;
}

export interface MadeCall extends CalledModel {
  cost?: number;
}

/** Model calls of recorded runs, made again (decisions: "model calls again"). */
export class ModelCallService {
  readonly #ports: ModelCallPorts;
  readonly #recorded: Pick<HistoryService, 'trace'>;

  constructor(ports: ModelCallPorts, recorded: Pick<HistoryService, 'trace'>) {
    this.#ports = ports;
    this.#recorded = recorded;
  }

  /**
   * Calls the model of a recorded call again. Besides the errors of the port: `history_disabled`, `run_not_found`,
   * `span_not_found`, and `invalid_request` for a span or for messages that no model can be called with.
   */
  async call(
    principal: Principal,
    key: RunKey,
    { spanId, messages, params }: ModelCallRequest,
    signal: AbortSignal,
  ): Promise<MadeCall> {
    const { history, agents, models } = this.#ports;
    const { run, span } = await this.#callOf(principal, key, spanId);
    const agentId = agents.resolve(run.agentId).agentId;
    const recorded = isObject(span.params) ? span.params : {};
    const given = params ?? { value: recorded, json: toJsonText(recorded) };
    const gap = gapIn(messages.value, 'messages') ?? gapIn(given.value, 'params');
    if (gap !== undefined) throw invalid(gap);
    const isWhole = gapIn(recorded, '') === undefined;
    const { name, model } = span;
    const made = await models.callModel(
      {
        agentId,
        threadId: key.threadId,
        name,
        ...(model !== undefined && { model }),
        // Not those of the request, which would let a caller choose among the models.
        recordedParams: toJsonText(isWhole ? recorded : {}),
        messages: messages.json,
        params: given.json,
      },
      signal,
    );
    const usage: unknown = made.usage === undefined ? undefined : JSON.parse(made.usage);
    const cost = history?.costOf(made.model ?? model, usage);
    return { ...made, ...(cost !== undefined && { cost }) };
  }

  /** The model call, for callers that may read its run and start one of its agent on its thread. */
  async #callOf(
    principal: Principal,
    key: RunKey,
    spanId: string,
  ): Promise<{ run: RecordedRun; span: TraceSpan }> {
    const { run, spans } = await this.#recorded.trace(principal, key);
    await this.#permit(principal, key, run);
    const span = spans.find(({ id }) => id === spanId);
    if (!span) throw new ServiceError('span_not_found', 'The trace of the run has no such span.');
    if (span.kind !== 'model') {
      throw invalid(`span_id: the span ${span.name} is a ${span.kind}, not a model call.`);
    }
    if (typeof span.input === 'string') {
      throw invalid(
        `span_id: the model ${span.name} takes a text: only chat models are called again.`,
      );
    }
    return { run, span };
  }

  /** As a new run of the agent on the thread needs it: without it, a caller may read and no more. */
  async #permit(
    principal: Principal,
    { threadId, runUuid }: RunKey,
    { agentId, metadata }: RecordedRun,
  ): Promise<void> {
    await requirePermissionInThread(this.#ports, threadId, {
      principal,
      operation: 'service:run:create',
      resource: runResource(threadId, runUuid),
      given: {
        thread_id: threadId,
        assistant_id: agentId,
        run_id: runUuid,
        status: 'pending',
        metadata,
        prevent_insert_if_inflight: false,
        multitask_strategy: 'enqueue',
        if_not_exists: 'reject',
        after_seconds: 0,
        kwargs: { config: {} },
      },
    });
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

import type { LangGraphLibrary } from './langgraph-library.ts';
import type { InvokeRequest } from './wire.ts';

/** The input of the graph's stream: the agent's input, a Command of the agent's LangGraph, or null to go on. */
export function runInput(request: InvokeRequest, library: LangGraphLibrary): unknown {
  if (request.start === 'inputJson') return JSON.parse(request.inputJson ?? 'null');
  if (request.start !== 'commandJson') return null;
  const command = parseObject(request.commandJson ?? '{}');
  const { resume, update, goto } = command;
  return library.makeCommand({
    ...(resume === undefined ? {} : { resume }),
    ...(update === undefined || update === null ? {} : { update }),
    ...(goto === undefined || goto === null ? {} : { goto: destinations(goto, library) }),
  });
}

/** A destination is a node's name, or `{node, input}` for a Send. */
function destinations(goto: unknown, library: LangGraphLibrary): unknown {
  if (Array.isArray(goto)) return goto.map((one) => destinations(one, library));
  if (!isRecord(goto) || typeof goto['node'] !== 'string') return goto;
  return library.makeSend(goto['node'], goto['input'] ?? null);
}

/** LangGraph.js's names for the fields of a config whose JSON form has Python's. */
const camelNames: Readonly<Record<string, string>> = {
  recursion_limit: 'recursionLimit',
  max_concurrency: 'maxConcurrency',
  run_name: 'runName',
  run_id: 'runId',
};

/** The run's config with the field names of LangGraph.js; everything else as given. */
export function runConfig(configJson: string): RunConfig {
  const given = parseObject(configJson === '' ? '{}' : configJson);
  const config = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [camelNames[key] ?? key, value]),
  );
  const { configurable, metadata } = config;
  return {
    ...config,
    configurable: isRecord(configurable) ? configurable : {},
    metadata: isRecord(metadata) ? metadata : {},
  };
}

export interface RunConfig extends Record<string, unknown> {
  configurable: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/** LangGraph's own keys, which say where a checkpoint is rather than what the run is. */
const positionKeys = new Set(['thread_id', 'checkpoint_id', 'checkpoint_ns', 'checkpoint_map']);

/**
 * What joins the metadata of the run's checkpoints, by the rule of LangGraph's Python savers: scalars of the
 * config's metadata and configurable. With `run_id` among them LangGraph knows a later attempt of the same run
 * and goes on where it was, instead of taking the input again.
 */
export function checkpointMetadata(config: RunConfig): Record<string, unknown> {
  const entries = [...Object.entries(config.configurable), ...Object.entries(config.metadata)];
  return Object.fromEntries(
    entries.filter(
      ([key, value]) =>
        ['string', 'number', 'boolean'].includes(typeof value) &&
        !key.startsWith('__') &&
        !positionKeys.has(key),
    ),
  );
}

function parseObject(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (!isRecord(value)) throw new Error('Expected a JSON object.');
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

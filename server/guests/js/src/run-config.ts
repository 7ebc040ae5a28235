import type { InvokeRequest, ReadStatesRequest, UpdateStateRequest } from './wire.ts';

/** LangGraph.js's names for the fields of a config whose JSON form has Python's. */
const camelNames: Readonly<Record<string, string>> = {
  recursion_limit: 'recursionLimit',
  max_concurrency: 'maxConcurrency',
  run_name: 'runName',
  run_id: 'runId',
};

/** The run's config with the field names of LangGraph.js and the run's own ids; everything else as given. */
export function runConfig(
  request: Pick<InvokeRequest, 'configJson' | 'threadId' | 'runId'>,
): RunConfig {
  return configOfIds(request.configJson, { thread_id: request.threadId, run_id: request.runId });
}

/** The config of a call that is no run. */
export function threadConfig(request: Pick<InvokeRequest, 'configJson' | 'threadId'>): RunConfig {
  return configOfIds(request.configJson, { thread_id: request.threadId });
}

/** The same config as a function finds it that makes the graph: with how the thread's newest run was configured. */
export function factoryConfig(
  config: RunConfig,
  request: Pick<UpdateStateRequest | ReadStatesRequest, 'factoryConfigurableJson'>,
): RunConfig {
  const { factoryConfigurableJson: json } = request;
  if (json === '') return config;
  return { ...config, configurable: { ...parseObject(json), ...config.configurable } };
}

function configOfIds(configJson: string, ids: Record<string, string>): RunConfig {
  const given = parseObject(configJson === '' ? '{}' : configJson);
  const config = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [camelNames[key] ?? key, value]),
  );
  const { configurable, metadata } = config;
  return {
    ...config,
    configurable: {
      ...ids,
      ...(isRecord(configurable) ? configurable : {}),
    },
    metadata: isRecord(metadata) ? metadata : {},
  };
}

/** A LangGraph config that has both of its objects. */
export interface RunConfig extends Record<string, unknown> {
  configurable: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/** LangGraph's own keys, which address a checkpoint rather than describe the run. */
const positionKeys = new Set(['thread_id', 'checkpoint_id', 'checkpoint_ns', 'checkpoint_map']);

/**
 * What joins the metadata of the run's checkpoints, by the rule of LangGraph's Python savers: scalars of the
 * config's metadata and configurable. With `run_id` among them LangGraph knows a later attempt of the same run
 * and continues where it was, instead of taking the input again.
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

/** Parses text that has to be a JSON object. */
export function parseObject(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (!isRecord(value)) throw new Error('Expected a JSON object.');
  return value;
}

/** True for objects that are no lists. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

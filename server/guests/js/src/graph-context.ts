import { isRecord, parseObject, type RunConfig } from './run-config.ts';

/** The context of a run: what LangGraph gives to nodes as `runtime.context`. */
export interface GraphContext {
  /** The config that a factory gets: the context as it was sent, also under `configurable`. */
  forFactory: RunConfig;
  /** The config of a run of this graph. */
  of(graph: object): RunConfig;
}

/** The keys of a checkpoint's position are not part of a run's context. */
const positionKeys = new Set([
  'thread_id',
  'run_id',
  'checkpoint_id',
  'checkpoint_ns',
  'checkpoint_map',
]);

/**
 * Takes the context that a request brings, as LangGraph's server does it: what the graph's context schema does not name
 * is left out, what it names is checked by LangGraph itself, and the same values are under `configurable`.
 */
export function openContext(contextJson: string, config: RunConfig): GraphContext {
  const given = Object.entries(parseObject(contextJson === '' ? '{}' : contextJson));
  const withContext = (taken: [string, unknown][]): RunConfig => {
    const shown = taken.filter(([name]) => !positionKeys.has(name) && !name.startsWith('__'));
    const context = Object.fromEntries(taken);
    return {
      ...config,
      context,
      configurable: { ...Object.fromEntries(shown), ...config.configurable },
    };
  };
  return {
    forFactory: withContext(given),
    of(graph) {
      const names = namesOf(contextSchemaOf(graph));
      return withContext(given.filter(([name]) => names === undefined || names.has(name)));
    },
  };
}

/** The zod schema of the graph's context. One made with Annotation leaves nothing behind at run time. */
export function contextSchemaOf(graph: object): unknown {
  const { builder } = graph as { builder?: { _configRuntimeSchema?: unknown } }; // of a StateGraph
  return builder?._configRuntimeSchema;
}

/** The members that a schema names; undefined: any, also where they are not known. */
function namesOf(schema: unknown): ReadonlySet<string> | undefined {
  const { shape } = (schema ?? {}) as { shape?: unknown }; // of zod 3 and 4 alike
  const names = isRecord(shape) ? Object.keys(shape) : [];
  return names.length === 0 ? undefined : new Set(names);
}

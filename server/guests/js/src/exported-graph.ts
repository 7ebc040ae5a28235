/*
 * How an export becomes a graph is up to the guest (`factory.py` and `runtime.py`, `exported-graph.ts`),
 * by the rules of LangGraph's server: a factory is called whenever a graph is needed, with the purpose. What cannot
 * be a graph is the agent's error as soon as it is loaded, without a call.
 */
import { types } from 'node:util';
import { asGraph, type Graph, type GraphFactory } from './graph.ts';

/** The graph of a run: always the same, or what the agent's factory makes of the config. */
export type GraphSource = (config: Record<string, unknown>) => Promise<Graph>;

const needed =
  'a compiled graph, a StateGraph, an agent, an entrypoint or a function that makes one is needed';

/**
 * What the manifest names among the exports of a module, as LangGraph's server takes it: a graph, a promise of one,
 * or a function (sync or async) that is called with the config whenever a graph is needed.
 */
export async function exportedGraph(
  module: Record<string, unknown>,
  { name, file }: { name: string; file: string },
): Promise<GraphSource> {
  if (!(name in module)) throw new Error(noSuchExport(module, name, file));
  const exported = await module[name];
  const what = `${file}:${name}`;
  if (typeof exported === 'function') {
    refuseOtherFunctions(exported, what);
    const factory = exported as GraphFactory; // any other function is taken for one
    return async (config) => {
      const made = await factory(config);
      return asGraph(made) ?? refuse(`${what} returned ${kindOf(made)}`);
    };
  }
  const graph = asGraph(exported) ?? refuse(`${what} is ${kindOf(exported)}`);
  return () => Promise.resolve(graph);
}

function refuse(found: string): never {
  throw new TypeError(`${found}; ${needed}.`);
}

function refuseOtherFunctions(value: object, what: string): void {
  const text = Function.prototype.toString.call(value);
  if (/^class\b/.test(text)) refuse(`${what} is a class`);
  if (types.isGeneratorFunction(value)) refuse(`${what} is a generator function`);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (types.isModuleNamespaceObject(value)) return 'a module';
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const kind = (value.constructor as { name?: unknown } | undefined)?.name; // absent without a prototype
  return typeof kind === 'string' && kind !== 'Object' ? `a value of class ${kind}` : 'an object';
}

function noSuchExport(module: Record<string, unknown>, name: string, file: string): string {
  const names = Object.keys(module).filter((other) => other !== 'module.exports');
  const [graph, ...others] = names.filter((other) => isGraphLike(module[other]));
  const sentence = `${file} has no export '${name}'`;
  if (graph !== undefined && others.length === 0) return `${sentence}; did you mean '${graph}'?`;
  if (names.length === 0) return `${sentence}, and no exports at all.`;
  return `${sentence}; its exports are ${names.join(', ')}.`;
}

/** Whether it could be one, without compiling it. */
function isGraphLike(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (types.isPromise(value)) return true;
  return 'lg_is_pregel' in value || 'compile' in value || 'graph' in value;
}

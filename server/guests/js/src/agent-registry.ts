import { resolve } from 'node:path';
import { importAgentModule } from './agent-import.ts';
import { asGraph, type Graph, type GraphFactory } from './graph.ts';
import type { AgentEntry, GuestConfig } from './guest-config.ts';
import { describeError } from './guest-error.ts';
import { loadLangGraph, type LangGraphLibrary } from './langgraph-library.ts';
import type { ErrorMessage } from './wire.ts';

export type Agent =
  | { agentId: string; error: ErrorMessage }
  | {
      agentId: string;
      error?: never;
      library: LangGraphLibrary;
      /** The graph of a run: always the same, or what the agent's factory makes of the config. */
      graphFor(config: Record<string, unknown>): Promise<Graph>;
    };

/** Imports the agents one after the other. One that fails is kept with its error; the others are not touched. */
export async function loadAgents(config: GuestConfig): Promise<Map<string, Agent>> {
  const agents = new Map<string, Agent>();
  for (const entry of config.agents) agents.set(entry.agentId, await loadAgent(entry, config));
  return agents;
}

async function loadAgent(entry: AgentEntry, config: GuestConfig): Promise<Agent> {
  const { agentId } = entry;
  try {
    const { file, exportName } = splitPath(entry.path, config.sourceDir);
    const module = await importAgentModule(file, config.tsxPath);
    const exported = module[exportName];
    if (exported === undefined) throw new Error(`${entry.path}: the module has no such export.`);
    const library = await loadLangGraph(file);
    const name = entry.path;
    if (typeof exported === 'function') {
      const factory = exported as GraphFactory; // any function is taken for one
      const graphFor = async (runConfig: Record<string, unknown>): Promise<Graph> =>
        needGraph(await factory(runConfig), `${name}: what the function returned`);
      return { agentId, library, graphFor };
    }
    const graph = needGraph(exported, name);
    return { agentId, library, graphFor: () => Promise.resolve(graph) };
  } catch (error) {
    return { agentId, error: describeError(error) };
  }
}

function needGraph(value: unknown, name: string): Graph {
  const graph = asGraph(value);
  if (graph === undefined) throw new TypeError(`${name} is not a LangGraph graph.`);
  return graph;
}

function splitPath(path: string, sourceDir: string): { file: string; exportName: string } {
  const colon = path.lastIndexOf(':');
  if (colon <= 0) throw new Error(`${path}: expected file:export.`);
  return { file: resolve(sourceDir, path.slice(0, colon)), exportName: path.slice(colon + 1) };
}

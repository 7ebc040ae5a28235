import { openAgentImporter, type AgentImporter } from './agent-import.ts';
import { exportedGraph, type GraphSource } from './exported-graph.ts';
import type { AgentEntry, GuestConfig } from './guest-config.ts';
import { describeError } from './guest-error.ts';
import { findCopy, watchCopies, type Copy, type CopyWatch } from './langgraph-copies.ts';
import { loadLangGraph, type LangGraphLibrary } from './langgraph-library.ts';
import { splitPath } from './manifest-export.ts';
import { checkRelease, missingLangGraph, releaseIn, served } from './served-versions.ts';
import type { ErrorMessage } from './wire.ts';

export type Agent =
  | { agentId: string; error: ErrorMessage }
  | {
      agentId: string;
      error?: never;
      library: LangGraphLibrary;
      graphFor: GraphSource;
    };

/** Imports the agents one after the other. One that fails is kept with its error; the others are not touched. */
export async function loadAgents(config: GuestConfig): Promise<Map<string, Agent>> {
  const agents = new Map<string, Agent>();
  const importer = openAgentImporter(config.tsxPath);
  const watch = watchCopies();
  for (const entry of config.agents) {
    agents.set(entry.agentId, await loadAgent(entry, config.sourceDir, { importer, watch }));
  }
  watch.close();
  importer.close();
  return agents;
}

async function loadAgent(
  entry: AgentEntry,
  sourceDir: string,
  { importer, watch }: { importer: AgentImporter; watch: CopyWatch },
): Promise<Agent> {
  const { agentId } = entry;
  try {
    const { file, relativePath, exportName } = splitPath(entry.path, sourceDir);
    const module = await importer.import(file).catch((error: unknown) => {
      throw explained(error, file, watch.take());
    });
    const copies = watch.take();
    const isAlone = copies.length === 0 && findCopy(file) === undefined; // another agent's module, for instance
    const library = await loadLangGraph(file, isAlone ? watch.all() : copies);
    const graphFor = await exportedGraph(module, { name: exportName, file: relativePath }).catch(
      (error: unknown) => {
        throw explained(error, file, copies);
      },
    );
    return { agentId, library, graphFor };
  } catch (error) {
    return { agentId, error: describeError(error) };
  }
}

/** What an old LangGraph lacks shows in many ways: where one is in use, that is the error. */
function explained(error: unknown, file: string, copies: readonly Copy[]): unknown {
  const own = findCopy(file);
  const directories = copies.map(({ directory }) => directory);
  if (own !== undefined) directories.push(own);
  if (directories.length === 0) {
    const isWanted = error instanceof Error && error.message.includes(`'${served.package}'`);
    return isWanted ? missingLangGraph(file) : error;
  }
  try {
    for (const directory of directories) checkRelease(releaseIn(directory));
    return error;
  } catch (tooOld) {
    return tooOld;
  }
}

import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preparePython } from '../../../scripts/python-env.ts';
import { compareFolder } from '../../../scripts/suites.ts';
import { startLangGraphPython, type LangGraphServer } from '../fixtures/langgraph-server.ts';

const requirements = fileURLToPath(new URL('../compare/requirements.txt', import.meta.url));
/**
 * Its runs at once. Of 1, 4, 8, 10 (the default), 15 and 16 this made it fastest: whenever its queue was found empty, it
 * sleeps for half a second, and with as many jobs as clients that is after every batch (14 runs a second).
 */
const JOBS = 4;
const PACKAGES = ['langgraph-api', 'langgraph-runtime-inmem', 'langgraph-cli', 'langgraph'];

/** The environment of LangGraph's server, made if it is missing. The Python guest of the comparison uses it, too. */
export function preparePeer(): { python: string; versions: string } {
  const python = preparePython({ folder: compareFolder, requirements: [requirements] });
  const program = `import sys, importlib.metadata as m
print(*(f"{p} {m.version(p)}" for p in sys.argv[1:]), f"Python {sys.version.split()[0]}", sep=", ")`;
  const { stdout, stderr } = spawnSync(python, ['-c', program, ...PACKAGES], { encoding: 'utf8' });
  if (stdout === '') throw new Error(`${python} lacks a package of the server: ${stderr}`);
  return { python, versions: `${stdout.trim()}, ${JOBS} jobs a worker` };
}

/** LangGraph's development server with the agent that does nothing, in memory, as quiet as ours. */
export async function startPeer(agents: string, python: string): Promise<LangGraphServer> {
  // It keeps its state in the folder that it serves.
  const folder = await mkdtemp(join(tmpdir(), 'bench-peer-'));
  await cp(join(agents, 'noop.py'), join(folder, 'noop.py'));
  const graphs = { noop_py: './noop.py:graph' };
  await writeFile(join(folder, 'langgraph.json'), JSON.stringify({ dependencies: ['.'], graphs }));
  const flags = ['--n-jobs-per-worker', `${JOBS}`, '--server-log-level', 'WARNING'];
  const server = await startLangGraphPython(folder, python, flags);
  return {
    ...server,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

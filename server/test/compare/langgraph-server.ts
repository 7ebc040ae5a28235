// LangGraph's own development servers, as their users start them.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freePort } from '../fixtures/free-port.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

/** A running server of LangGraph. */
export interface LangGraphServer {
  readonly url: string;
  output(): string;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 120_000;

/** Starts `langgraph dev` of the environment of `python` in a folder. */
export async function startLangGraphPython(
  folder: string,
  python: string,
): Promise<LangGraphServer> {
  const command = path.join(path.dirname(python), 'langgraph');
  const port = await freePort();
  const words = ['dev', '--no-browser', '--no-reload', '--host', '127.0.0.1', '--port', `${port}`];
  return started(command, words, folder, port);
}

/** Starts `langgraphjs dev` of these packages in a folder. */
export async function startLangGraphJavaScript(
  folder: string,
  packages: string,
): Promise<LangGraphServer> {
  const port = await freePort();
  const words = ['dev', '--no-browser', '--host', '127.0.0.1', '--port', `${port}`];
  return started(path.join(packages, '.bin/langgraphjs'), words, folder, port);
}

async function started(
  command: string,
  words: readonly string[],
  cwd: string,
  port: number,
): Promise<LangGraphServer> {
  const child = spawn(command, words, {
    cwd,
    env: {
      ...process.env,
      PATH: `${path.dirname(command)}${path.delimiter}${process.env['PATH'] ?? ''}`,
      LANGSMITH_TRACING: 'false',
      // No telemetry from a test.
      LANGGRAPH_CLI_NO_ANALYTICS: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its workers are separate processes: all of them are ended by their group.
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
  }
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitUntil('the server of LangGraph', START_LIMIT_MS, async () => {
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}.`);
      const response = await fetch(`${url}/ok`).catch(() => undefined);
      return response?.ok === true;
    });
  } catch (cause) {
    await stop(child);
    throw new Error(`LangGraph's server did not start. Its output:\n${text}`, { cause });
  }
  return { url, output: () => text, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await gone;
}

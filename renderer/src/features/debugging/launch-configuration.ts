import type { LaunchConfiguration } from '../../../../electron/src/ipc/contract.ts';
import type { Provider } from './providers.ts';

/** The target of a debugger: its port, and the agent folder. */
export interface DebugTarget {
  readonly port: number;
  /** The agent folder on the machine of the service. */
  readonly folder: string;
}

/** The folder that is open in VS Code. */
const workspace = '${workspaceFolder}';

/** The configuration for VS Code to attach; undefined where the agents connect to the IDE instead. */
export function launchConfiguration(
  provider: Provider,
  { port, folder }: DebugTarget,
): LaunchConfiguration | undefined {
  switch (provider) {
    case 'debugpy':
      return {
        name: 'Agent Runtime: attach to Python',
        type: 'debugpy',
        request: 'attach',
        connect: { host: '127.0.0.1', port },
        pathMappings: [{ localRoot: workspace, remoteRoot: folder }],
        justMyCode: false,
      };
    case 'inspector':
      return {
        name: 'Agent Runtime: attach to JavaScript',
        type: 'node',
        request: 'attach',
        address: '127.0.0.1',
        port,
        localRoot: workspace,
        remoteRoot: folder,
        sourceMaps: true,
        skipFiles: ['<node_internals>/**'],
        // The agents' process is replaced after their code has changed.
        restart: true,
      };
    case 'pydevd':
      return undefined;
  }
}

/** The command that starts a service under a debugger. */
export function serveCommand(
  provider: Provider,
  { folder, port, options }: DebugTarget & { readonly options: Readonly<Record<string, string>> },
): string {
  const words = [
    'npx service serve',
    quoted(folder),
    '--sandbox none',
    '--debug',
    `--debug-provider ${provider}`,
    `--debug-port ${port}`,
    ...Object.entries(options).map(([key, value]) => `--debug-opt ${key}=${value}`),
  ];
  return words.join(' ');
}

function quoted(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

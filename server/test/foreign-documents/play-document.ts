// Sends requests that are generated from the OpenAPI document of another API to the service, with Schemathesis, and
// checks every response against that document.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { interpreterOf } from '../../../scripts/python-env.ts';
import { contractFolder, pythonFolder } from '../../../scripts/suites.ts';
import { startExamples } from '../fixtures/start-examples.ts';

interface ForeignDocument {
  /** The file of the document. */
  readonly file: string;
  /** Where the service speaks it: `/compat/…`. */
  readonly basePath: string;
  /** `<name>.toml` and `<name>_hooks.py` of this folder: what is no finding, and what the document cannot express. */
  readonly name: string;
  /** As `documentOptions` are given. */
  readonly options: {
    readonly examples: string;
    readonly seed: string;
    readonly operation?: string | undefined;
  };
  /** Makes what its requests are about; what it returns are variables for the hooks. */
  readonly prepare?: (serviceUrl: string) => Promise<Readonly<Record<string, string>>>;
}

/** What every test of a document takes on its command line, beside where the document is. */
export const documentOptions = {
  /** Of each operation and phase. */
  examples: { type: 'string', default: '40' },
  seed: { type: 'string', default: '3' },
  /** The id of one operation. */
  operation: { type: 'string' },
} as const;

/** Resolves with the exit code of Schemathesis: 0 without findings. */
export async function playDocument(document: ForeignDocument): Promise<number> {
  const { file, basePath, name, options, prepare } = document;
  const { examples, seed, operation } = options;
  process.env['TEST_PYTHON'] ??= interpreterOf(pythonFolder);
  const service = await startExamples();
  try {
    const agents = (await (await fetch(`${service.url}/agents`)).json()) as { agent_id: string }[];
    const words = [
      ...['--config-file', path.join(import.meta.dirname, `${name}.toml`), '--no-color'],
      ...['run', file, '--url', `${service.url}${basePath}`],
      ...['--continue-on-failure', '--no-shrink', '--request-timeout', '60'],
      ...['--max-examples', examples, '--seed', seed],
      ...(operation === undefined ? [] : ['--include-operation-id', operation]),
    ];
    return await schemathesis(
      words,
      path.join(import.meta.dirname, `${name.replaceAll('-', '_')}_hooks.py`),
      {
        DOCUMENT_AGENTS: JSON.stringify(agents.map(({ agent_id: id }) => id)),
        ...(await prepare?.(service.url)),
      },
    );
  } finally {
    await service.stop();
  }
}

async function schemathesis(
  words: readonly string[],
  hooks: string,
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const program = path.join(path.dirname(interpreterOf(contractFolder)), 'schemathesis');
  const child = spawn(process.env['SCHEMATHESIS'] ?? program, words, {
    stdio: 'inherit',
    env: { ...process.env, SCHEMATHESIS_HOOKS: hooks, ...variables },
  });
  const [code] = (await once(child, 'exit')) as [number | null]; // what node gives
  return code ?? 1;
}

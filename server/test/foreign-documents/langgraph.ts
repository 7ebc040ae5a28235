// The OpenAPI document of LangGraph's server against `/compat/langgraph`:
//   npm run test:langgraph-document -- --document <openapi.json> [--table docs/langgraph-api.md]
// The document is `openapi.json` of the package langgraph-api, or what a server of theirs has at that path.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '@langchain/langgraph-sdk';
import { format, resolveConfig } from 'prettier';
import { root } from '../../../scripts/suites.ts';
import { type ApiDocument, apiTable, type SentRequest } from './api-table.ts';
import { documentOptions, playDocument } from './play-document.ts';

const cacheFolder = path.join(root, '.cache/langgraph-document');
const { values: options } = parseArgs({
  options: {
    document: { type: 'string' },
    /** Where the table of every endpoint and member is written. */
    table: { type: 'string' },
    ...documentOptions,
  },
});
const file = path.resolve(options.document ?? '');
if (options.document === undefined || !existsSync(file)) {
  throw new Error("Give the OpenAPI document of LangGraph's server by --document.");
}
const requestsFile = path.join(cacheFolder, 'requests.jsonl');
await mkdir(cacheFolder, { recursive: true });
await rm(requestsFile, { force: true });
process.exitCode = await playDocument({
  file,
  basePath: '/compat/langgraph',
  name: 'langgraph',
  options,
  prepare: async (serviceUrl) => ({
    DOCUMENT_THREADS: JSON.stringify(await threads(serviceUrl)),
    DOCUMENT_REQUESTS: requestsFile,
  }),
});
if (options.table !== undefined) {
  const config = await resolveConfig(options.table);
  await writeFile(options.table, await format(await table(), { ...config, parser: 'markdown' }));
}

/** One thread with a run that has ended, and one whose run asks; each with a cron. */
async function threads(serviceUrl: string): Promise<unknown[]> {
  const client = new Client({ apiUrl: `${serviceUrl}/compat/langgraph` });
  const inputs: [string, Record<string, unknown>][] = [
    ['chat', { messages: [{ role: 'user', content: 'Hello' }] }],
    ['approval', { order: 'A-1', amount: 5_000 }],
  ];
  return Promise.all(
    inputs.map(async ([agent, input]) => {
      const { thread_id } = await client.threads.create();
      const { run_id } = await client.runs.create(thread_id, agent, { input });
      await client.runs.join(thread_id, run_id);
      const { checkpoint } = await client.threads.getState(thread_id);
      const { cron_id } = await client.crons.create(agent, { input, schedule: '0 0 1 1 *' });
      return { thread_id, run_id, checkpoint_id: checkpoint.checkpoint_id, cron_id };
    }),
  );
}

async function table(): Promise<string> {
  const document = JSON.parse(await readFile(file, 'utf8')) as ApiDocument;
  const lines = (await readFile(requestsFile, 'utf8')).trimEnd().split('\n');
  return [
    "# LangGraph's API, endpoint by endpoint",
    '',
    `What \`/compat/langgraph\` takes and answers, as ${lines.length.toLocaleString('en')} requests showed that were generated from the OpenAPI document of LangGraph's server (\`npm run test:langgraph-document\`). A member that was in no request with a good answer is under “did not take”: it is refused, or random values did not meet what it takes. What differs, and why, is in [compatibility.md](compatibility.md).`,
    '',
    apiTable(
      document,
      lines.map((line) => JSON.parse(line) as SentRequest), // as record_requests.py writes it
    ),
  ].join('\n');
}

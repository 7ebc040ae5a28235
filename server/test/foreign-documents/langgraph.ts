// The OpenAPI document of LangGraph's server against `/compat/langgraph`:
//   npm run test:langgraph-document -- --document <openapi.json>
// The document is `openapi.json` of the package langgraph-api, or what a server of theirs has at that path.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '@langchain/langgraph-sdk';
import { documentOptions, playDocument } from './play-document.ts';

const { values: options } = parseArgs({
  options: { document: { type: 'string' }, ...documentOptions },
});
const file = path.resolve(options.document ?? '');
if (options.document === undefined || !existsSync(file)) {
  throw new Error("Give the OpenAPI document of LangGraph's server by --document.");
}
process.exitCode = await playDocument({
  file,
  basePath: '/compat/langgraph',
  name: 'langgraph',
  prepare: async (serviceUrl) => ({ DOCUMENT_THREADS: JSON.stringify(await threads(serviceUrl)) }),
});

/** One thread with a run that has ended, and one whose run asks. */
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
      return { thread_id, run_id, checkpoint_id: checkpoint.checkpoint_id };
    }),
  );
}

// A service is started twice and npm once, for one path from a folder to the button to a run; the examples need pip, too.
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '../fixtures/shell-test.ts';
import { request } from '../fixtures/page-requests.ts';
import { startFolder, untilServed } from '../fixtures/desktop-work.ts';

const langgraph = path.resolve(import.meta.dirname, '../../node_modules/@langchain/langgraph');

const agent = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ text: Annotation });
export const graph = new StateGraph(State)
  .addNode('say', ({ text }) => ({ text: text + '!' }))
  .addEdge(START, 'say')
  .compile();
`;

test(
  'a folder whose packages are not installed gets them by a button',
  { tag: '@release' },
  async ({ desktop, agents }) => {
    const { page } = desktop;
    rmSync(path.join(agents, 'echo.py'));
    writeFileSync(path.join(agents, 'agent.json'), '{"graphs": {"say": "./say.mjs:graph"}}');
    writeFileSync(path.join(agents, 'say.mjs'), agent);
    const dependencies = { '@langchain/langgraph': `file:${langgraph}` };
    writeFileSync(path.join(agents, 'package.json'), JSON.stringify({ dependencies }));

    expect((await startFolder(desktop, agents)).value).toMatchObject({
      state: 'ready',
      missingPackages: [{ command: 'npm install --no-audit --no-fund' }],
    });
    await untilServed(page);
    const line = page.getByRole('alert');
    await expect(line).toContainText('package.json names @langchain/langgraph');
    await line.getByRole('button', { name: 'Install packages' }).click();
    await expect(line).toBeHidden({ timeout: 120_000 });
    await untilServed(page);
    const body = { agent_id: 'say', input: { text: 'hello' } };
    const response = await request(page, '/runs/wait', { method: 'POST', body });
    expect(response).toMatchObject({ status: 200, body: { output: { text: 'hello!' } } });
  },
);

test(
  'the examples are opened by a button, and get their packages by another',
  { tag: '@release' },
  async ({ launch }) => {
    const { page, ask } = await launch();
    await page.getByRole('button', { name: 'Open the examples' }).click();
    await untilServed(page);
    const { value: view } = await ask('service', 'view');
    expect(view).toMatchObject({ state: 'ready', folder: expect.stringMatching(/examples$/) });
    const line = page.getByRole('alert');
    await line.getByRole('button', { name: 'Install packages' }).click();
    await expect(line).toBeHidden({ timeout: 240_000 });
    await untilServed(page);
    const body = { agent_id: 'chat', input: { messages: [{ role: 'user', content: 'hello' }] } };
    const response = await request(page, '/runs/wait', { method: 'POST', body });
    expect(JSON.stringify(response.body)).toContain('You said: \\"hello\\".');
  },
);

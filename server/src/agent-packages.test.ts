import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { missingAgentPackages } from './agent-packages.ts';

it('leaves a wrong manifest to the start', async () => {
  const sourceDir = await mkdtemp(path.join(tmpdir(), 'agent-packages-'));
  await writeFile(path.join(sourceDir, 'requirements.txt'), 'langgraph\n');
  const guest = { userEnvironment: { PATH: '' } };
  const signal = new AbortController().signal;
  const missing = () => missingAgentPackages({ sourceDir, guest }, signal);
  expect(await missing()).toEqual([]);
  await writeFile(path.join(sourceDir, 'agent.json'), '{"graphs": {"a": "pack.age:graph"}}');
  expect(await missing()).toHaveLength(1);
  await rm(sourceDir, { recursive: true });
});

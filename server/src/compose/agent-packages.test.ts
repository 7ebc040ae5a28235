import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { missingAgentPackages } from './agent-packages.ts';
import type { ServiceConfig } from '../config/service-config.ts';

let sourceDir = '';
beforeEach(async () => {
  sourceDir = await mkdtemp(path.join(tmpdir(), 'agent-packages-'));
  await writeFile(path.join(sourceDir, 'requirements.txt'), 'langgraph\n');
});
afterEach(() => rm(sourceDir, { recursive: true }));

const manifest = async (more: object): Promise<void> => {
  const text = JSON.stringify({ graphs: { agent: 'package.agent:graph' }, ...more });
  await writeFile(path.join(sourceDir, 'agent.json'), text);
};
const missing = () => {
  const guest = { userEnvironment: { PATH: '' }, sandbox: 'none' as const };
  // What is read of it.
  const config = { sourceDir, guest } as unknown as ServiceConfig;
  return missingAgentPackages(config, new AbortController().signal);
};

it('leaves a wrong manifest to the start', async () => {
  expect(await missing()).toEqual([]);
  await manifest({});
  expect(await missing()).toHaveLength(1);
});

it('misses nothing where a project of the manifest has the environment that agents get', async () => {
  await manifest({ dependencies: ['./backend'] });
  const bin = path.join(sourceDir, 'backend/.venv/bin');
  await mkdir(bin, { recursive: true });
  expect(await missing()).toHaveLength(1);
  await writeFile(path.join(bin, 'python'), '#!/bin/sh\n', { mode: 0o755 });
  expect(await missing()).toEqual([]);
});

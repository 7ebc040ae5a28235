import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ServiceConfig } from '../config/service-config.ts';
import { watchMissingPackages } from './missing-packages-watch.ts';

let sourceDir = '';
beforeEach(async () => {
  sourceDir = await mkdtemp(path.join(tmpdir(), 'packages-watch-'));
  await writeFile(path.join(sourceDir, 'agent.json'), '{"graphs": {"agent": "./agent.py:graph"}}');
  await writeFile(path.join(sourceDir, 'agent.py'), '');
  await writeFile(path.join(sourceDir, 'requirements.txt'), 'langgraph\n');
});
afterEach(() => rm(sourceDir, { recursive: true }));

it('knows after a look what is missing, and after another that it was installed', async () => {
  const guest = { userEnvironment: { PATH: '' }, sandbox: 'none' as const };
  // What is read of it.
  const config = { sourceDir, guest } as unknown as ServiceConfig;
  const { signal } = new AbortController();
  const watch = watchMissingPackages(config, { logger: { warn: () => undefined }, signal });
  expect(watch.found()).toEqual([]);
  watch.look();
  const missing = {
    language: 'python',
    directory: sourceDir,
    because: 'requirements.txt names Python packages, but there is no .venv.',
    needs: 'Neither uv nor python3 is on PATH: install one.',
  };
  await vi.waitFor(() => expect(watch.found()).toEqual([missing]), 15_000);
  await mkdir(path.join(sourceDir, '.venv/bin'), { recursive: true });
  await writeFile(path.join(sourceDir, '.venv/bin/python'), '#!/bin/sh\n', { mode: 0o755 });
  watch.look();
  await vi.waitFor(() => expect(watch.found()).toEqual([]), 15_000);
});

/** @module-tag release */
/** A real Python guest whose agent starts a daemon: nothing of it but its parent shows whose it is. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { processStart } from '../../src/config/process-identity.ts';
import { startGuests } from '../../src/guest/pool/start-guests.ts';
import type { AgentId } from '../../src/model/ids.ts';
import { testPython } from '../fixtures/durable-service.ts';
import { testInvocation } from '../fixtures/invocation.ts';

const cacheDir = fileURLToPath(new URL('../../../.cache', import.meta.url));
const agents = fileURLToPath(new URL('../../guests/python/tests/agents', import.meta.url));
const never = new AbortController().signal;

it.runIf(process.platform === 'linux')(
  'a daemon without any variable of its guest ends with it',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'left-'));
    await writeFile(path.join(folder, 'agent.py'), 'from daemons import graph\n');
    const agentId = 'daemon' as AgentId;
    const guests = startGuests({
      sourceDir: folder,
      manifest: {
        agents: [{ agentId, language: 'python', path: './agent.py:graph' }],
        importPaths: [folder, agents],
      },
      interpreter: testPython(),
      environment: { PATH: process.env['PATH'] ?? '' },
      maxMessageBytes: 50 * 1024 * 1024,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      cacheDir,
      onProgress: () => undefined,
      reload: false,
      size: 1,
    });
    try {
      const end = await guests.invoke(testInvocation({}, { agentId }).invocation, never);
      const { pid } = JSON.parse('output' in end ? end.output : '{}') as { pid: number };
      expect(processStart(pid)).toBeDefined();
      await guests.close();
      expect(processStart(pid)).toBeUndefined();
    } finally {
      await guests.close();
      await rm(folder, { recursive: true });
    }
  },
);

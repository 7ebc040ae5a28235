/**
 * LangGraph's public conformance suites for savers, through the guests' real channel, against the real workflow. The
 * guests' own suites run both against a host in memory.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startThreadWorker, type ThreadWorker } from '../../src/engine/worker/thread-worker.ts';
import { CheckpointServer } from '../../src/guest/wire/checkpoint-server.ts';
import { testPython } from '../fixtures/durable-service.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';
import { SaverSession } from '../fixtures/saver-session.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const python = join(root, 'server/guests/python');
const SUITE_LIMIT_MS = 240_000;

let lab: EngineLab;
let worker: ThreadWorker;
let socketPath: string;
let server: CheckpointServer;

beforeAll(async () => {
  lab = await openEngineLab(inject('engine'), 'savers');
  worker = await startThreadWorker({
    ...lab,
    onRunSettled: () => undefined,
    maxConcurrentRuns: 1,
  });
  socketPath = join(lab.folder, 'host.sock');
  const { logger } = lab;
  server = await CheckpointServer.start({ socketPath, maxMessageBytes: 50 * 1024 * 1024, logger });
});

afterAll(async () => {
  server.close();
  await worker.close();
  await lab.close();
});

/** The suites read from their environment which host they test. */
function hostEnvironment(): NodeJS.ProcessEnv {
  const { token } = server.openToken({ session: new SaverSession(lab.threads, lab.starter) });
  return { ...process.env, AGENT_RUNTIME_HOST_SOCKET: socketPath, AGENT_RUNTIME_TOKEN: token };
}

it(
  'the JavaScript saver passes @langchain/langgraph-checkpoint-validation',
  { tags: 'release', timeout: SUITE_LIMIT_MS },
  async () => {
    const suite = 'server/guests/js/test/saver-conformance.test.ts';
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const file = join(lab.folder, 'report.json');
    const flags = ['--project=guest-js', '--reporter=json', `--outputFile=${file}`];
    const options = { cwd: root, env: hostEnvironment(), maxBuffer: 64 * 1024 * 1024 };
    await run(process.execPath, [vitest, 'run', ...flags, suite], options);
    const report = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>; // vitest's format
    expect(report).toMatchObject({ success: true, numFailedTests: 0 });
    expect(report['numPassedTests']).toBeGreaterThan(500);
  },
);

it(
  'the Python saver passes langgraph-checkpoint-conformance',
  async () => {
    const arguments_ = [
      '-m',
      'pytest',
      '-q',
      '-p',
      'no:cacheprovider',
      'tests/test_conformance.py',
    ];
    const env = hostEnvironment();
    const { stdout } = await run(testPython(), arguments_, { cwd: python, env });
    expect(stdout).toMatch(/^1 passed/m);
  },
  SUITE_LIMIT_MS,
);

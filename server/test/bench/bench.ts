/**
 * `npm run bench`: measures the service over HTTP from this process, one table. Everything shares the machine, client
 * included, so the load it found is part of the output. `-- --quick` takes a tenth of the runs; words are the parts that
 * are measured, for example `-- sandboxes saves`; `-- --peer` adds LangGraph's own development server beside this one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preparePython } from '../../../scripts/python-env.ts';
import { startService } from '../fixtures/start-service.ts';
import { measureGrowth } from './growth.ts';
import { measureHistory } from './history.ts';
import { measureLongThread } from './long-thread.ts';
import { makeManyThreads } from './many-threads.ts';
import { measurePeer } from './peer.ts';
import { measurePolicies } from './policies.ts';
import { measurePolicyRequests } from './policy-requests.ts';
import { measureReplay } from './replay.ts';
import { table } from './report.ts';
import { measureSandboxes } from './sandboxes.ts';
import { measureSaves } from './saves.ts';
import { measureRuns } from './service-runs.ts';
import { measureSoak } from './soak.ts';
import { measureStoredThreads } from './stored-threads.ts';
import { measureStudio } from './studio.ts';
import { measureThreadSearch } from './thread-search.ts';
import { untilHealthy } from './until-healthy.ts';

const agents = fileURLToPath(new URL('agents', import.meta.url));

/** Only when they are asked for. */
const EXTRA = ['peer', 'stored-threads', 'soak'];

const parts: Readonly<Record<string, () => Promise<void>>> = {
  runs: () => measureRuns(agents),
  peer: () => measurePeer(agents),
  growth: () => measureGrowth(agents),
  history: () => measureHistory(agents),
  policies: measurePolicies,
  'policy-requests': measurePolicyRequests,
  sandboxes: measureSandboxes,
  saves: () => measureSaves(agents),
  'long-thread': measureLongThread,
  replay: () => measureReplay(agents),
  threads: measureThreads,
  'stored-threads': () => measureStoredThreads(agents),
  soak: () => measureSoak(agents, python),
};

const words = process.argv
  .slice(2)
  .filter((word, at, all) => !word.startsWith('--') && all[at - 1] !== '--minutes');
const unknown = words.filter((word) => !(word in parts));
if (unknown.length > 0) {
  console.error(
    `There is no part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}.`,
  );
  process.exit(2);
}

const python = preparePython({
  folder: join(agents, '.venv'),
  requirements: [fileURLToPath(new URL('../../../examples/requirements.txt', import.meta.url))],
});
process.env['TEST_PYTHON'] ??= python;
const first = await startService({ agents });
await untilHealthy(first);
await first.stop();
const load = loadavg().map((value) => value.toFixed(1));
console.error(`${cpus().length} x ${cpus()[0]?.model ?? '?'}, load ${load.join(' ')}\n`);

const chosen =
  words.length > 0 ? words : Object.keys(parts).filter((name) => !EXTRA.includes(name));
if (process.argv.includes('--peer')) chosen.push('peer');
for (const [name, measure] of Object.entries(parts)) {
  if (chosen.includes(name)) await measure();
}
console.log(table());

async function measureThreads(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-threads-'));
  try {
    await makeManyThreads({ agents, dataDir });
    await measureThreadSearch({ agents, dataDir });
    await measureStudio('threads', { agents, dataDir });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

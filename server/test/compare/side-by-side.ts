// One folder under two servers, and a test for each of its graphs.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { DecisionBook, knownDecisions } from './decisions.ts';
import { compareSteps, lineOf } from './differences.ts';
import type { LangGraphServer } from '../fixtures/langgraph-server.ts';
import { Recording } from './recording.ts';
import { play, type Scenario } from './scenario.ts';

export interface Sides {
  readonly language: 'python' | 'javascript';
  readonly scenarios: readonly Scenario[];
  /** Flags of this service: the interpreter of the environment that both have. */
  readonly flags: readonly string[];
  /** Where the folder is made: below the packages that agents import, if that is where they are looked for. */
  readonly within?: string;
  readonly startTheirs: (folder: string) => Promise<LangGraphServer>;
}

const cache = fileURLToPath(new URL('../../../.cache/compare/', import.meta.url));

/** Both servers, on one folder. */
export interface BothServers {
  readonly theirs: LangGraphServer;
  readonly ours: ServiceProcess;
  stop(): Promise<void>;
}

/** Starts both on a copy of the agents of that language. */
export async function startBoth(sides: Omit<Sides, 'scenarios'>): Promise<BothServers> {
  const folder = await mkdtemp(join(sides.within ?? tmpdir(), 'compare-'));
  const agents = join(folder, 'agents');
  // LangGraph's servers write into the folder they serve.
  const source = fileURLToPath(new URL(`agents/${sides.language}`, import.meta.url));
  await cp(source, agents, { recursive: true });
  let theirs: LangGraphServer | undefined;
  let ours: ServiceProcess | undefined;
  const stop = async (): Promise<void> => {
    await Promise.all([theirs?.stop(), ours?.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    theirs = await sides.startTheirs(agents);
    ours = await startService({
      agents,
      flags: [...sides.flags],
      environment: {
        SERVICE_STORE_PROVIDER: 'sqlite',
        SERVICE_STORE_SQLITE_DB_PATH: join(folder, 'store.db'),
        // LangGraph's server keeps everything, and fails runs at once.
        SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY: '500',
        SERVICE_ENGINE_RUN_RESTART_MAX_ATTEMPTS: '0',
      },
    });
    await whenHealthy(ours.url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { theirs, ours, stop };
}

/** Starts both servers, plays every scenario on both, and fails with each difference that is not listed. */
export function compareFolder(sides: Sides): void {
  const { language, scenarios } = sides;
  let both: BothServers | undefined;

  beforeAll(async () => {
    both = await startBoth(sides);
  });

  afterAll(() => both?.stop());

  describe('the same folder under LangGraph’s server and this one', () => {
    const decisions = knownDecisions(language);
    const book = new DecisionBook(decisions);
    const played = new Set<string>();

    it.concurrent.each(scenarios)('$graph', async (scenario) => {
      const { graph } = scenario;
      const theirRecording = new Recording(both?.theirs.url ?? '', graph);
      const ourRecording = new Recording(`${both?.ours.url ?? ''}/compat/langgraph`, graph);
      await Promise.all([play(scenario, theirRecording), play(scenario, ourRecording)]);
      const found = compareSteps(graph, theirRecording.steps, ourRecording.steps);
      played.add(graph);
      const unlisted = found.filter((difference) => !book.covers(difference));
      const whole = { unlisted, theirs: theirRecording.steps, ours: ourRecording.steps };
      // Both recordings, to be looked at.
      const kept = join(cache, 'recordings', language);
      await mkdir(kept, { recursive: true });
      await writeFile(join(kept, `${graph}.json`), JSON.stringify(whole, null, 2));
      expect(unlisted.map(lineOf)).toEqual([]);
    });

    it('has every decision in the document', async () => {
      const file = new URL('../../../docs/compatibility.md', import.meta.url);
      const document = await readFile(file, 'utf8');
      const rows = decisions.map(({ topic, decision }) => `| ${topic} | ${decision} |`);
      expect(rows.filter((row) => !document.includes(row))).toEqual([]);
    });

    it('has no decision about a difference that is gone', ({ skip }) => {
      skip(played.size < scenarios.length, 'only some of the graphs were run');
      expect(book.unneeded()).toEqual([]);
    });
  });
}

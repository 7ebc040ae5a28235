import { chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { guestRootFolder } from '../../../scripts/suites.ts';
import type { Sandbox } from '../../src/guest/sandbox/port.ts';
import { runService } from '../fixtures/run-service.ts';
import {
  deedsFolder,
  runscOfTests,
  sandboxKind,
  sandboxKinds,
  type SandboxKindUnderTest,
} from '../fixtures/sandbox-kinds.ts';
import { perform, startGuest, type SandboxedGuest } from '../fixtures/sandboxed-guest.ts';
import { percentiles } from './measure.ts';
import { parentOf, proportionalBytes } from './processes.ts';
import { add, count, ms } from './report.ts';

const STARTS = 5;
const MEBIBYTE = 2 ** 20;

/**
 * Guests in each sandbox beside plain processes, asked over their sockets without a service around them: starts, runs in
 * turns with a plain process, memory; and what it takes to make their images and packages.
 */
export async function measureSandboxes(): Promise<void> {
  const none = sandboxKind('none');
  const sandbox = await none.open();
  const plain = await started(none, sandbox);
  for (const kind of sandboxKinds) {
    if (kind.missing !== undefined) add(`sandbox ${kind.name}`, `not here: ${kind.missing}`);
    else await measureKind(kind, plain);
  }
  await plain.guest.close();
  await sandbox.close();
}

async function measureKind(kind: SandboxKindUnderTest, plain: SandboxedGuest): Promise<void> {
  const end = await kind.setUp?.();
  try {
    const sandbox = await kind.open({ memoryBytes: 1024 * MEBIBYTE });
    const starts: number[] = [];
    for (let start = 0; start < STARTS; start++) {
      const begin = performance.now();
      const guest = await started(kind, sandbox);
      starts.push(performance.now() - begin);
      await guest.guest.close();
    }
    const [first = 0, ...others] = starts;
    const again = percentiles(others);
    add(`sandbox ${kind.name}: guest ready`, `first ${ms(first)}, then p50 ${ms(again.p50)}`);
    const guest = await started(kind, sandbox);
    if (kind.isolates) await measureRuns(kind.name, guest, plain);
    const { memoryBytes = 0 } = guest.guest.usage();
    add(`sandbox ${kind.name}: memory of its guest`, mebibytes(memoryBytes));
    if (kind.isolates) {
      const itself = allOf(kind, guest) - proportionalBytes(plain.guest.pid);
      add(`sandbox ${kind.name}: memory of itself`, mebibytes(itself));
    }
    await guest.guest.close();
    if (kind.isolates) await measurePackages(kind, sandbox);
    await sandbox.close();
    if (kind.isolates) await measureMaking(kind.name);
  } finally {
    await end?.();
  }
}

/** What one guest takes of this machine. In Docker a shim has started it, which stays for as long as the guest. */
function allOf({ name }: SandboxKindUnderTest, { guest }: SandboxedGuest): number {
  return proportionalBytes(name === 'docker' ? (parentOf(guest.pid) ?? 0) : guest.pid);
}

function mebibytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(0)} MiB`;
}

/** A folder with one requirement: everything is installed in the sandbox, and then found. */
async function measurePackages(kind: SandboxKindUnderTest, sandbox: Sandbox): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-packages-'));
  const cacheDir = await mkdtemp(path.join(tmpdir(), 'bench-cache-'));
  await cp(deedsFolder, folder, { recursive: true });
  await writeFile(path.join(folder, 'requirements.txt'), 'idna==3.10\n');
  await chmod(folder, 0o755);
  const timed = async (): Promise<string> => {
    const begin = performance.now();
    await kind.program(sandbox, { folder, cacheDir });
    return ms(performance.now() - begin);
  };
  try {
    const [first, again] = [await timed(), await timed()];
    add(`sandbox ${kind.name}: dependency layer`, `first ${first}, again ${again}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(cacheDir, { recursive: true, force: true });
  }
}

/** In turns, so that a busy moment is both of theirs. */
async function measureRuns(
  name: string,
  guest: SandboxedGuest,
  plain: SandboxedGuest,
): Promise<void> {
  const times: { here: number[]; plain: number[] } = { here: [], plain: [] };
  const timed = async (one: SandboxedGuest): Promise<number> => {
    const begin = performance.now();
    await perform(one, 'echo', ['x']);
    return performance.now() - begin;
  };
  for (let call = 0; call < count(500); call++) {
    times.here.push(await timed(guest));
    times.plain.push(await timed(plain));
  }
  const [here, there] = [percentiles(times.here).p50, percentiles(times.plain).p50];
  const target = name === 'docker' ? '1 ms' : '6 ms';
  add(`sandbox ${name}: added to a run, p50`, `${ms(here - there)} (to ${ms(there)})`, target);
}

/** The images of `service image build` and an image with agents and packages inside, both from nothing and once more. */
async function measureMaking(name: string): Promise<void> {
  if (name === 'gvisor privileged') return; // the same as rootless
  const cacheDir = await mkdtemp(path.join(tmpdir(), 'bench-images-'));
  const agents = path.join(import.meta.dirname, '../../../examples');
  const base = path.join(guestRootFolder, 'tree');
  const environment = { SERVICE_CACHE_DIR: cacheDir, SERVICE_GUEST_RUNSC: await runscOfTests() };
  const timed = async (words: string[]): Promise<string> => {
    const begin = performance.now();
    const all = [...words, `--sandbox=${name === 'docker' ? 'docker' : 'gvisor'}`];
    const { code, stderr } = await runService(all, environment);
    if (code !== 0) throw new Error(stderr);
    return ms(performance.now() - begin);
  };
  try {
    const build = ['image', 'build', `--base=python=${base}`];
    add(`sandbox ${name}: image build`, `first ${await timed(build)}, again ${await timed(build)}`);
    const pack = ['image', 'pack', agents, '--tag=bench:1', `--base=${base}`];
    const first = await timed(pack);
    add(`sandbox ${name}: packages and image pack`, `first ${first}, again ${await timed(pack)}`);
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
}

async function started(kind: SandboxKindUnderTest, sandbox: Sandbox): Promise<SandboxedGuest> {
  return await startGuest(sandbox, await kind.program(sandbox));
}

// What is found is found by the server's own code, on a PATH and with a DOCKER_HOST of the test.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { examineSandboxes } from '../../../server/src/index.ts';
import type { DesktopSettings, ServiceView } from '../ipc/contract.ts';
import { explainFailure } from './failure-help.ts';
import { sandboxRows, unexamined } from './sandbox-rows.ts';

const stopped: ServiceView = { state: 'stopped', steps: [], warnings: [] };
const noDocker = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };
const there = 'agent-runtime-guest-python:1';
const missing = 'agent-runtime-guest-node:1';
const docker = { version: 'Docker Engine 28' };
const gvisor = { version: 'runsc, release-20260801.0 (/usr/bin/runsc)' };

/** A PATH with one `runsc`, which says this of itself and of its flags. */
function pathWith(version: string, platforms: string): { PATH: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'runsc-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const flags = `  -host-uds value\n    \tValues: none|open|create|all\n  -platform string\n    \t${platforms}\n`;
  const script = `#!/bin/sh\nif [ "$1" = flags ]; then printf '%s' '${flags}'; else printf '%s' '${version}'; fi\n`;
  writeFileSync(path.join(folder, 'runsc'), script);
  chmodSync(path.join(folder, 'runsc'), 0o755);
  return { PATH: `${folder}:/usr/bin:/bin` };
}

/** State, detail and fix of each row. */
async function rowsOn(environment: Record<string, string>, sandbox: DesktopSettings['sandbox']) {
  const found = await examineSandboxes({ ...noDocker, ...environment });
  const rows = sandboxRows(found, { sandbox, view: stopped });
  return Object.fromEntries(rows.map(({ id, state, detail, fix }) => [id, [state, detail, fix]]));
}

const elsewhere = 'Or choose another sandbox in the settings.';
const says = (pattern: RegExp): string => expect.stringMatching(pattern) as string;

it('says of a runsc that is too old what the start would say, and where a newer one is', async () => {
  const old = pathWith('runsc version 0.0~20221219.0\n', 'ptrace (default), kvm');
  const sentence = /runsc \(0\.0~20221219\.0\) is too old: .*go install gvisor\.dev.*https:/;
  expect((await rowsOn(old, 'gvisor'))['gvisor']).toEqual(['fail', says(sentence), elsewhere]);
  expect((await rowsOn(old, 'none'))['gvisor']).toEqual(['absent', says(sentence), '']);
});

it('names the day of the sources of a runsc that Go has built', async () => {
  const built = 'mod\tgvisor.dev/gvisor\tv0.0.0-20260905035102-160fafc42237\n';
  const current = pathWith(`runsc version VERSION_MISSING\n${built}`, 'systrap (default), ptrace');
  expect((await rowsOn(current, 'gvisor'))['gvisor']).toEqual([
    'ok',
    says(/^runsc, sources of 2026-09-05 \(/),
    '',
  ]);
});

it('says where Docker was looked for, and no flag of the command line', async () => {
  const rows = await rowsOn({ PATH: '/nowhere' }, 'docker');
  expect(rows).toEqual({
    docker: [
      'fail',
      'There is no Docker daemon at /nowhere/docker.sock; start it or install Docker.',
      elsewhere,
    ],
    gvisor: ['absent', says(/^Not needed by the sandbox of the settings\. runsc is not on/), ''],
    images: ['absent', 'They are looked for when the sandbox is there.', ''],
  });
});

/** The row of the images alone. */
function imagesRow(images: { there: string[]; missing: string[] }, view = stopped) {
  const rows = sandboxRows({ docker, gvisor, images }, { sandbox: 'docker', view });
  return rows.find(({ id }) => id === 'images');
}

it('needs images of the languages that agents have: who has one needs no other', () => {
  expect(imagesRow({ there: [there], missing: [missing] })).toMatchObject({
    state: 'ok',
    detail: there,
  });
  expect(imagesRow({ there: [], missing: [missing] })).toMatchObject({
    state: 'warn',
    detail: `Not there: ${missing}.`,
    fix: 'Open a folder of agents: its start offers to build what they need.',
  });
});

it('has the button to build where a start has failed for the lack of images', () => {
  const message = `Images are missing: ${missing}.`;
  const failure = explainFailure({ code: 'images_missing', message, step: 'images' });
  const view: ServiceView = { ...stopped, state: 'failed', folder: '/agents', failure };
  expect(imagesRow({ there: [], missing: [missing] }, view)).toMatchObject({
    state: 'fail',
    detail: message,
    action: 'build',
  });
});

it('says that nothing could be found out', () => {
  expect(unexamined(new Error('Its process ended with code 1.'))).toMatchObject({
    state: 'warn',
    detail: 'Docker and gVisor could not be examined: Its process ended with code 1.',
  });
});

// @module-tag release
// Starts whose sandbox is unavailable: each ends before the engine, so its own desktop is all that takes time.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lookTwice } from '../fixtures/desktop-looks.ts';
import { openFolder, untilServed, visit } from '../fixtures/desktop-work.ts';
import { expect, test } from '../fixtures/shell-test.ts';

/** As Debian's of 2022: it knows ptrace alone. */
const oldRunsc = `#!/bin/sh
if [ "$1" = flags ]; then printf '  -platform string\\n\\tptrace (default), kvm\\n'
else echo 'runsc version 0.0~20221219.0'; fi
`;

test(
  'a sandbox that is missing is reported with its reason, and another one is chosen in the settings',
  { tag: '@release' },
  async ({ agents, launchWith }) => {
    const programs = mkdtempSync(path.join(tmpdir(), 'e2e-programs-'));
    writeFileSync(path.join(programs, 'runsc'), oldRunsc);
    chmodSync(path.join(programs, 'runsc'), 0o755);
    const PATH = `${programs}:${process.env['PATH']}`;
    try {
      const desktop = await launchWith({ DOCKER_HOST: 'unix:///nowhere/docker.sock', PATH });
      const { page, ask } = desktop;
      await openFolder(desktop, agents);
      await ask('settings', 'write', { sandbox: 'docker' });
      await visit(page, '/welcome');
      const { value: withDocker } = await ask('service', 'restart');
      expect(withDocker.failure).toMatchObject({
        step: 'sandbox',
        message: 'There is no Docker daemon at /nowhere/docker.sock; start it or install Docker.',
      });
      const alert = page.getByRole('alert');
      await expect(alert).toContainText('Or choose another sandbox in the settings');
      await lookTwice(desktop, 'sandbox-absent');

      await ask('settings', 'write', { sandbox: 'gvisor' });
      await alert.getByRole('button', { name: 'Restart' }).click();
      await expect(alert).toContainText('(0.0~20221219.0) is too old');
      await alert.getByRole('link', { name: 'Doctor' }).click();
      const row = page
        .getByRole('listitem')
        .filter({ hasText: /gVisor.*is too old/ })
        .last();
      await expect(row).toHaveAttribute('data-state', 'fail');
      await expect(row).toContainText('Or choose another sandbox in the settings.');
      await lookTwice(desktop, 'doctor-sandbox-absent');

      await page.getByRole('alert').getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('combobox', { name: 'Sandbox' }).click();
      await page.getByRole('option', { name: /^None/ }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('alert').getByRole('button', { name: 'Restart' }).click();
      await expect(page.getByRole('link', { name: /^Service healthy/ })).toBeVisible({
        timeout: 120_000,
      });
      await visit(page, '/threads');
      await untilServed(page);
    } finally {
      rmSync(programs, { recursive: true, force: true });
    }
  },
);

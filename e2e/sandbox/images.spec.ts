// @module-tag release
// The steps of a user who chooses Docker and has no images: they are built of a root tree of the tests, which takes half
// a minute, and the guest's packages are installed within.
// @needs docker, @needs guest-root, @needs images
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepBaseImage } from '../fixtures/base-image.ts';
import { lookTwice } from '../fixtures/desktop-looks.ts';
import { answerDialogs, runEcho, untilRunIs, visit } from '../fixtures/desktop-work.ts';
import { startDockerDaemon, type DockerDaemon } from '../fixtures/docker-daemon.ts';
import { expect, test } from '../fixtures/shell-test.ts';

test.describe('images that are missing', { tag: '@release' }, () => {
  let daemon: DockerDaemon;
  /** The cache of the desktop's service, with what images are built of. */
  let cacheHome = '';

  test.beforeAll(async () => {
    cacheHome = mkdtempSync(path.join(tmpdir(), 'e2e-cache-'));
    chmodSync(cacheHome, 0o755); // guests run as the user nobody
    keepBaseImage(cacheHome);
    daemon = await startDockerDaemon();
  });
  test.afterAll(async () => {
    await daemon.close();
    rmSync(cacheHome, { recursive: true, force: true });
  });

  test('are seen, built and used, and the start continues by itself', async ({
    agents,
    launchWith,
  }) => {
    chmodSync(path.dirname(agents), 0o755);
    const desktop = await launchWith({ DOCKER_HOST: daemon.host, XDG_CACHE_HOME: cacheHome });
    const { page, ask, temporary } = desktop;
    await ask('settings', 'write', { sandbox: 'docker', interpreter: null });
    await answerDialogs(desktop, { open: agents });
    await page.reload();
    await page.getByRole('button', { name: 'Open folder' }).click();
    const alert = page.getByRole('alert');
    await expect(alert).toContainText('Images are missing: agent-runtime-guest-python:');
    await lookTwice(desktop, 'images-missing');

    // The doctor reports and offers the same.
    await visit(page, '/doctor');
    const row = page.getByRole('listitem').filter({ hasText: 'Images of the sandbox' });
    await expect(row).toContainText('Images are missing');
    await lookTwice(desktop, 'doctor-images-missing');
    await row.getByRole('button', { name: 'Build images' }).click();

    const steps = page.getByRole('listitem');
    const build = steps.filter({ hasText: 'Build' });
    await expect(build).toHaveAttribute('data-state', 'running');
    await expect(build).toContainText('the image agent-runtime-guest-python:');
    await lookTwice(desktop, 'images-built');
    await page.getByRole('button', { name: 'Cancel build' }).click();
    await expect(alert).toContainText('Images are missing');
    await expect(page.getByRole('listitem', { name: 'Build' })).toHaveCount(0);
    expect(await daemon.images()).toEqual([]);

    await alert.getByRole('button', { name: 'Build images' }).click();
    await expect(page).toHaveURL(/#\/threads/, { timeout: 240_000 });
    // The guest's packages are installed in its sandbox first.
    await expect(page.getByRole('link', { name: /^Service healthy/ })).toBeVisible({
      timeout: 240_000,
    });
    expect(await daemon.images()).toEqual([
      expect.stringMatching(/^agent-runtime-guest-python:\d/),
    ]);
    const { value: view } = await ask('service', 'view');
    expect(view.steps.map(({ name }: { name: string }) => name)).toEqual([
      ...['folder', 'settings', 'sandbox', 'images', 'build'],
      ...['agents', 'engine', 'threads', 'api'],
    ]);
    expect((await ask('folders', 'recent')).value).toMatchObject([{ path: agents }]);
    await runEcho(page, { text: 'hello' });
    await untilRunIs(page, 'completed');
    const sandbox = page.getByRole('note').filter({ hasText: /^docker · \d+ MiB$/ });
    await expect(sandbox).toBeVisible();
    await lookTwice(desktop, 'run-in-docker');

    // The next start has nothing to build.
    await visit(page, '/welcome');
    expect((await ask('service', 'restart')).value).toMatchObject({ state: 'ready' });
    await visit(page, '/doctor');
    await expect(row).toHaveAttribute('data-state', 'ok');
    // The archives of images, also that of the cancelled build.
    expect(readdirSync(temporary).filter((name) => name.startsWith('agent-image-'))).toEqual([]);
  });
});

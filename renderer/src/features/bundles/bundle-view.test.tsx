import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { fakeService, failure, json } from '../../test/fake-service.ts';
import { renderRoutes } from '../../test/render-page.tsx';
import { BundleView } from './bundle-view.tsx';
import type { BundleLine } from './bundle-lines.ts';
import { ThreadsRead } from './bundle-threads.ts';
import type { Bundle } from './read-bundle.ts';

const thread: BundleLine = {
  kind: 'thread',
  thread_id: 'demo',
  created_at: 1_000,
  more: { owner: 'ada' },
};
const run = (status: string): BundleLine => ({ kind: 'run', agent_id: 'chat', status });

function bundleOf(lines: readonly BundleLine[], members: Partial<Bundle> = {}): Bundle {
  const read = new ThreadsRead();
  for (const line of lines) read.take(line, { isKept: true });
  return {
    name: 'demo.bundle.jsonl.gz',
    bytes: 1_200,
    createdAt: '2026-11-21T10:00:00.000Z',
    writtenBy: 'agent-runtime 0.2.0',
    madeBy: undefined,
    agent: undefined,
    threads: read.threads,
    problem: undefined,
    hasRecords: true,
    ...members,
  };
}

function show(bundle: Bundle): ReturnType<typeof renderRoutes> {
  const file = new File(['{}'], bundle.name);
  return renderRoutes(
    [
      { path: '/bundles', element: <BundleView file={file} bundle={bundle} /> },
      { path: '/threads/:threadId', element: <p>its thread</p> },
    ],
    '/bundles',
  );
}

const textOf = (element: HTMLElement | undefined): string => element?.textContent ?? '';
const importButton = (): HTMLElement => screen.getByRole('button', { name: 'Import as thread' });

describe('a bundle that was opened', () => {
  test('shows who made it and what importing does, and imports nothing by itself', () => {
    const { requests } = fakeService({});
    const madeBy = { sub: 'ada@example.org', issuer: 'https://id.example' };
    show(bundleOf([thread, run('completed'), run('running'), run('pending')], { madeBy }));
    const origin = screen.getByRole('region', { name: 'Where it comes from' });
    expect(textOf(origin)).toContain('Made byada@example.org issuer https://id.example');
    expect(textOf(origin)).toContain('Made2026-11-21 10:00:00.000 UTC');
    expect(textOf(origin)).toContain('Withagent-runtime 0.2.0');
    expect(textOf(origin)).toContain('Filedemo.bundle.jsonl.gz 1.2 kB');
    expect(textOf(origin)).toContain('it is not verified');
    const row = within(screen.getByRole('region', { name: '1 thread' })).getAllByRole('row')[1];
    expect(textOf(row)).toContain(
      'demochat3 (1 completed, 1 running, 1 pending)01970-01-01 00:00:01ada',
    );
    const does = screen.getByRole('region', { name: 'What importing does' });
    expect(textOf(does)).toContain('The 2 runs that had not ended are cancelled');
    expect(textOf(does)).toContain('belongs to you');
    expect(textOf(does)).toContain('only if you trust its source');
    expect(requests).toEqual([]);
  });

  test('is imported on request, also under another id', async () => {
    const { requests } = fakeService({ 'POST /bundles': () => json({ thread_id: 'other' }, 201) });
    const { router } = show(bundleOf([thread]));
    const person = userEvent.setup();
    await person.click(importButton());
    const id = await screen.findByRole('textbox', { name: 'Thread id' });
    await person.clear(id);
    await person.type(id, 'other');
    await person.click(screen.getByRole('button', { name: 'Import' }));
    expect(await screen.findByText('its thread')).toBeVisible();
    expect(router.state.location.pathname).toBe('/threads/other');
    expect(requests.map(({ query }) => query.get('thread_id'))).toEqual(['other']);
  });

  test('shows why the service refused it', async () => {
    fakeService({ 'POST /bundles': () => failure(400, 'bundle_invalid', 'Line 2 is damaged.') });
    show(bundleOf([thread]));
    const person = userEvent.setup();
    await person.click(importButton());
    await person.click(await screen.findByRole('button', { name: 'Import' }));
    expect(textOf(await screen.findByRole('alert'))).toContain('Line 2 is damaged.');
  });

  test('forgets the error of an attempt with the next one, and begins at the id', async () => {
    fakeService({ 'POST /bundles': () => failure(409, 'thread_exists', 'demo exists.') });
    show(bundleOf([thread]));
    const person = userEvent.setup();
    await person.click(importButton());
    const id = await screen.findByRole('textbox', { name: 'Thread id' });
    await waitFor(() => expect(document.activeElement).toBe(id));
    await person.click(await screen.findByRole('button', { name: 'Import' }));
    await screen.findByText('demo exists.');
    await person.type(id, '2');
    expect(screen.queryByText('demo exists.')).toBeNull();
    await person.click(screen.getByRole('button', { name: 'Import' }));
    await screen.findByText('demo exists.');
    await person.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await person.click(importButton());
    await screen.findByRole('textbox', { name: 'Thread id' });
    expect(screen.queryByText('demo exists.')).toBeNull();
  });

  test('does not show who made it when the file does not contain that', () => {
    show(bundleOf([thread, run('completed')]));
    expect(screen.getByText('The file does not contain it')).toBeVisible();
    expect(screen.getByText(/All runs had ended/)).toBeVisible();
  });

  test('is shown as text, whatever it contains, and cut where it is long', () => {
    const sub = `<img src=x onerror=alert(1)>\u202egpj.exe${'a'.repeat(4_000)}`;
    show(bundleOf([{ ...thread, thread_id: '\u001b[2J' }], { madeBy: { sub }, name: '\u2066x' }));
    expect(document.querySelector('img')).toBeNull();
    const origin = screen.getByRole('region', { name: 'Where it comes from' });
    expect(textOf(origin)).toContain(String.raw`<img src=x onerror=alert(1)>\u{202e}gpj.exeaaa`);
    expect(textOf(origin)).toContain(String.raw`File\u{2066}x`);
    expect(origin.textContent.length).toBeLessThan(600);
    expect(screen.getByRole('cell', { name: String.raw`\u{1b}[2J` })).toBeVisible();
  });

  test.each([
    ['of several threads', bundleOf([thread, thread]), 'service threads import'],
    ['without a thread', bundleOf([]), 'no thread'],
    ['that is damaged', bundleOf([thread], { problem: 'It is cut off.' }), 'would refuse'],
  ])('%s cannot be imported here, with the reason', (_name, bundle, why) => {
    show(bundle);
    expect(importButton()).toHaveProperty('disabled', true);
    expect(screen.getByText(new RegExp(why))).toBeVisible();
  });

  test('that is damaged shows the problem above what could be read', () => {
    show(bundleOf([thread], { problem: 'The file is cut off after line 2.' }));
    expect(textOf(screen.getByRole('alert'))).toContain(
      'The bundle cannot be importedThe file is cut off after line 2. What is shown is what could be read.',
    );
    expect(screen.getByRole('cell', { name: 'demo' })).toBeVisible();
  });

  test('that is too large for a page shows its overview alone', () => {
    show(bundleOf([thread, run('completed')], { hasRecords: false }));
    expect(screen.getAllByRole('tab')).toHaveLength(1);
    expect(importButton()).toHaveProperty('disabled', false);
  });
});

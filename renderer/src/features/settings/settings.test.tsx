import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { DesktopBridge, DesktopSettings } from '../../../../electron/src/ipc/contract.ts';
import { renderPart, renderRoutes } from '../../test/render-page.tsx';
import { changedSettings } from './changed-settings.ts';
import { NoticeFields } from './notice-fields.tsx';
import { routes } from './index.ts';
import { ServiceFields } from './service-fields.tsx';
// The page is loaded with its first visit; here before a test's time limit starts.
import './page.tsx';

const settings: DesktopSettings = {
  port: 0,
  checkpointHistory: 50,
  externalStorage: true,
  store: false,
  environmentFiles: [],
  sandbox: 'none',
  interpreter: null,
  reopenLastFolder: true,
  runNotices: true,
  theme: 'system',
  updateFeed: null,
  updateChannel: 'latest',
};

test('finds what was changed', () => {
  expect(changedSettings(settings, { ...settings, environmentFiles: ['', ' '] })).toEqual({});
  expect(changedSettings(settings, { ...settings, port: 8090, environmentFiles: ['a '] })).toEqual({
    port: 8090,
    environmentFiles: ['a'],
  });
});

test('writes only what was changed, and nothing without a change', async () => {
  const written: unknown[] = [];
  const bridge = {
    settings: {
      write: (patch: object) => {
        written.push(patch);
        return Promise.resolve({ ok: true, value: { ...settings, ...patch } });
      },
    },
  } as unknown as DesktopBridge; // the part of it that the form uses
  renderPart(<ServiceFields bridge={bridge} settings={settings} />);
  const save = screen.getByRole('button', { name: 'Save' });
  expect(save).toHaveProperty('disabled', true);
  await userEvent.click(screen.getByRole('checkbox', { name: /Key-value store/ }));
  await userEvent.click(save);
  await waitFor(() => expect(written).toEqual([{ store: true }]));
});

test('notifications are turned off at once, without a restart of the service', async () => {
  const written: unknown[] = [];
  const bridge = {
    settings: {
      write: (patch: object) => {
        written.push(patch);
        return Promise.resolve({ ok: true, value: { ...settings, ...patch } });
      },
    },
  } as unknown as DesktopBridge; // the part of it that the field uses
  renderPart(<NoticeFields bridge={bridge} settings={settings} />);
  await userEvent.click(screen.getByRole('checkbox', { name: /Notify me when a run/ }));
  await waitFor(() => expect(written).toEqual([{ runNotices: false }]));
});

test('the address of a setting leads to its field', async () => {
  renderRoutes(routes, '/settings?setting=times');
  await waitFor(() => {
    const { activeElement } = document;
    expect(activeElement?.closest('[data-setting]')?.textContent).toContain('Times');
  });
});

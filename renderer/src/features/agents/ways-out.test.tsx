import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { DesktopBridge, ServiceView } from '../../../../electron/src/ipc/contract.ts';
import { fakeService } from '../../test/fake-service.ts';
import { renderPart, renderRoutes } from '../../test/render-page.tsx';
import { DesktopWays } from './desktop-ways.tsx';
import { routes } from './index.ts';
// Pages are loaded with their first visit; here before a test's time limit starts.
import './agent-page.tsx';
import './page.tsx';

const because = 'requirements.txt names Python packages, but there is no .venv.';
const command = 'python3 -m venv .venv && .venv/bin/python -m pip install -r requirements.txt';
const packages = { language: 'python', directory: '/home/ada/my agents', because, command };

function openAgent(error: { code: string; message: string }, info: object): void {
  const capabilities = { supports_interrupt: true, supports_streaming: true };
  const broken = { agent_id: 'broken', name: 'broken', capabilities, language: 'python', error };
  fakeService({
    'GET /agents': () => [broken],
    'GET /info': () => ({ version: '1', flags: { sandbox: 'none', reload: false }, ...info }),
  });
  renderRoutes(routes, '/agents/broken');
}

test('a browser shows the command that installs what is missing, and copies it', async () => {
  const user = userEvent.setup(); // with a clipboard
  const error = { code: 'agent_not_loaded', message: "No module named 'langgraph'" };
  openAgent(error, { missing_packages: [packages, { ...packages, language: 'javascript' }] });
  const typed = `cd '/home/ada/my agents' && ${command}`;
  expect(await screen.findByText(typed)).toBeVisible();
  expect(screen.getByText(because)).toBeVisible();
  expect(screen.getByText('service serve --interpreter /path/to/python')).toBeVisible();
  const [copyInstall = document.body] = screen.getAllByRole('button', { name: 'Copy the command' });
  await user.click(copyInstall);
  expect(await navigator.clipboard.readText()).toBe(typed);
});

test('a missing interpreter has the flag that names one', async () => {
  const message = 'There is no python3 on PATH to run the agents with.';
  openAgent({ code: 'guest_unavailable', message }, {});
  expect(await screen.findByText(/^Start the service with another interpreter/)).toBeVisible();
  expect(screen.getAllByText(message, { exact: false })[0]).toBeVisible();
});

test('a mistake in the code is to be mended there', async () => {
  openAgent({ code: 'agent_not_loaded', message: 'invalid syntax (chat.py, line 3)' }, {});
  expect(await screen.findByText(/^Fix the file, and start the service again/)).toBeVisible();
  expect(screen.queryByText(/--interpreter/)).toBeNull();
});

const ready: ServiceView = { state: 'ready', folder: '/agents', steps: [], warnings: [] };

/** What the page asked of the desktop; `chosen` is what the dialog returns. */
function openWays({ view = ready, chosen = null as object | null } = {}) {
  const asked: string[] = [];
  const reply = (name: string, value: unknown) => () => {
    asked.push(name);
    return Promise.resolve({ ok: true, value });
  };
  const bridge = {
    service: { install: reply('install', ready), restart: reply('restart', ready) },
    settings: { chooseInterpreter: reply('choose', chosen) },
  } as unknown as DesktopBridge; // the part of it that the buttons use
  renderPart(
    <DesktopWays
      {...{ bridge, view }}
      missing={[packages]}
      language="python"
      isSandboxed={false}
    />,
  );
  return asked;
}

test('the desktop installs into a .venv, or restarts with the interpreter that was chosen', async () => {
  const asked = openWays({ chosen: { interpreter: '/opt/python3' } });
  await userEvent.click(screen.getByRole('button', { name: 'Make a .venv and install' }));
  await userEvent.click(screen.getByRole('button', { name: 'Choose an interpreter' }));
  await waitFor(() => expect(asked).toEqual(['install', 'choose', 'restart']));
});

test('a cancelled dialog changes nothing', async () => {
  const asked = openWays();
  await userEvent.click(screen.getByRole('button', { name: 'Choose an interpreter' }));
  await waitFor(() => expect(asked).toEqual(['choose']));
});

test('shows how far the installation is', () => {
  const step = { name: 'packages', state: 'running', message: 'Collecting langgraph' } as const;
  openWays({ view: { ...ready, state: 'starting', steps: [step] } });
  expect(screen.getByRole('status').textContent).toContain('packages: Collecting langgraph');
  expect(screen.getByRole('button', { name: 'Choose an interpreter' })).toHaveProperty(
    'disabled',
    true,
  );
});

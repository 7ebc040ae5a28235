import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { type BrowserPreset, useBrowserPresets } from '../../../api/presets/browser-presets.ts';
import { useSentRuns } from '../../../api/sent-runs.ts';
import { assistant, fakeAssistants } from '../../../test/fake-assistants.ts';
import { failure } from '../../../test/fake-service.ts';
import { commitPending } from '../../../ui/undo.tsx';
import { openAt } from '../runs-fixture.tsx';

beforeEach(() => useSentRuns.setState({ runs: [] }));
const service = window.location.origin;
const search = 'POST /compat/langgraph/assistants/search';
const create = 'POST /compat/langgraph/assistants';

function inBrowser(name: string, config: object = { tags: ['x'] }): BrowserPreset {
  return { service, agentId: 'approval', name, config: { ...config }, context: {} };
}

const presetField = () => screen.findByRole('combobox', { name: 'Preset' });

async function choose(name: string): Promise<void> {
  // The form of the input is the last to come; then the fields stay where they are.
  await screen.findByLabelText(/^order/);
  await userEvent.click(await presetField());
  await userEvent.click(await screen.findByRole('option', { name }));
}

async function openConfig(): Promise<HTMLElement> {
  await userEvent.click(await screen.findByText('Config and metadata'));
  return screen.getByRole('combobox', { name: 'Tags' });
}

async function saveAs(name: string): Promise<void> {
  await userEvent.click(screen.getByRole('button', { name: 'Save preset' }));
  const field = await screen.findByLabelText('Name of this preset');
  await userEvent.clear(field);
  await userEvent.type(field, `${name}{Enter}`);
}

test('config and context are saved as an assistant, which the composer and a URL take over', async () => {
  const { kept, handlers } = fakeAssistants([]);
  const { requests, router, client } = openAt('/here?compose=1&for=approval', handlers);
  await waitFor(() => {
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toContain(search);
    expect(client.isFetching()).toBe(0);
  });
  const tags = await openConfig();
  // The agent's own assistant, which has been read by now, is no preset.
  expect(screen.queryByLabelText('Preset')).toBeNull();
  await userEvent.type(tags, 'careful{Enter}');
  await saveAs('Careful');
  await waitFor(async () => expect(await presetField()).toHaveProperty('value', 'Careful'));
  expect(screen.getByText(/Kept by the service\./)).toBeVisible();
  expect(kept).toMatchObject([
    { graph_id: 'approval', name: 'Careful', config: { tags: ['careful'] }, context: {} },
  ]);
  expect(useBrowserPresets.getState().presets).toEqual([]);
  await choose('No preset');
  expect(await presetField()).toHaveProperty('value', 'No preset');
  await act(() => router.navigate('/here?compose=1&for=approval&preset=made-0'));
  await waitFor(async () => expect(await presetField()).toHaveProperty('value', 'Careful'));
  await userEvent.type(await screen.findByLabelText(/^order/), 'A-17');
  await userEvent.type(screen.getByLabelText(/^amount/), '1');
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  const runs = () => requests.filter(({ path }) => path.endsWith('/runs'));
  await waitFor(() => expect(runs()).not.toEqual([]));
  expect(runs()[0]?.body).toMatchObject({ config: { tags: ['careful'] } });
});

test('a preset of another client is filled in, and keeps what the form does not show', async () => {
  const config = { configurable: { model: 'small' }, tags: ['a'], max_concurrency: 3 };
  const theirs = assistant('a-1', { name: 'Fast', config, metadata: { team: 'a' } });
  const { kept, handlers } = fakeAssistants([theirs]);
  const { requests } = openAt('/here?compose=1&for=approval', handlers);
  await choose('Fast');
  expect(
    await screen.findByText('Runs of the studio are without its max_concurrency.'),
  ).toBeVisible();
  await userEvent.type(await openConfig(), 'quick{Enter}');
  expect(await presetField()).toHaveProperty('value', '');
  await userEvent.click(screen.getByRole('button', { name: 'Save preset' }));
  expect(await screen.findByLabelText('Name of this preset')).toHaveProperty('value', 'Fast');
  await userEvent.click(screen.getByRole('button', { name: 'Replace' }));
  await waitFor(() => expect(kept[0]).toHaveProperty('version', 2));
  await waitFor(async () => expect(await presetField()).toHaveProperty('value', 'Fast'));
  expect(kept).toEqual([{ ...theirs, config: { ...config, tags: ['a', 'quick'] }, version: 2 }]);
  const patch = requests.find(({ method }) => method === 'PATCH');
  expect(Object.keys(patch?.body ?? {}).toSorted()).toEqual(['config', 'context']);
});

test('of several presets with the same content or name the chosen one is shown and changed', async () => {
  const config = { tags: ['x'] };
  const { kept, handlers } = fakeAssistants([
    assistant('a-1', { name: 'Same', config }),
    assistant('a-2', { name: 'Same', config }),
    assistant('a-3', { name: 'Nothing' }),
  ]);
  openAt('/here?compose=1&for=approval&preset=a-2', handlers);
  await userEvent.type(await openConfig(), 'y{Enter}');
  await saveAs('Same');
  await waitFor(() => expect(kept[1]).toMatchObject({ config: { tags: ['x', 'y'] }, version: 2 }));
  expect(kept[0]).toMatchObject({ config, version: 1 });
  await choose('Nothing');
  expect(await presetField()).toHaveProperty('value', 'Nothing');
  expect(screen.queryByRole('button', { name: 'Save preset' })).toBeNull();
});

test('a deleted preset can be brought back, and is deleted by the service later', async () => {
  const { kept, handlers } = fakeAssistants([assistant('a-1', { config: { tags: ['x'] } })]);
  openAt('/here?compose=1&for=approval&preset=a-1', handlers);
  await userEvent.click(await screen.findByRole('button', { name: 'Delete preset a-1' }));
  await waitFor(async () => expect(await presetField()).toHaveProperty('value', ''));
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete preset a-1' }));
  expect(kept).toHaveLength(1);
  await act(() => commitPending());
  expect(kept).toEqual([]);
});

test('a preset that the policy keeps from being deleted is listed again, with the reason', async () => {
  const { handlers } = fakeAssistants([assistant('a-1', { config: { tags: ['x'] } })]);
  openAt('/here?compose=1&for=approval&preset=a-1', {
    ...handlers,
    'DELETE /compat/langgraph/assistants/:id': () => failure(403, 'permission_denied', 'No.'),
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Delete preset a-1' }));
  await act(() => commitPending());
  expect(await screen.findByText('The preset a-1 could not be deleted')).toBeVisible();
  expect(await screen.findByRole('button', { name: 'Delete preset a-1' })).toBeVisible();
});

test.each([
  ['route_not_found', 404, 'the service keeps no assistants'],
  ['assistants_unavailable', 503, 'the service cannot read its assistants'],
  ['permission_denied', 403, 'the policy denies assistants'],
])('presets are in the browser when assistants are refused with %s', async (code, status, why) => {
  const refused = () => failure(status, code, 'Refused.');
  openAt('/here?compose=1&for=approval', { [search]: refused, [create]: refused });
  await userEvent.type(await openConfig(), 'careful{Enter}');
  await saveAs('Careful');
  await waitFor(async () => expect(await presetField()).toHaveProperty('value', 'Careful'));
  expect(screen.getByText(new RegExp(`Kept in this browser: ${why}\\.$`))).toBeVisible();
  expect(useBrowserPresets.getState().presets).toMatchObject([
    { service, agentId: 'approval', name: 'Careful', config: { tags: ['careful'] } },
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Delete preset Careful' }));
  expect(useBrowserPresets.getState().presets).toEqual([]);
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(useBrowserPresets.getState().presets).toHaveLength(1);
});

test('a preset that is in the browser is marked, and goes to the service when it is saved', async () => {
  useBrowserPresets.setState({ presets: [inBrowser('Careful')] });
  const { kept, handlers } = fakeAssistants([assistant('a-1', { name: 'Fast' })]);
  openAt('/here?compose=1&for=approval', handlers);
  await choose('Careful in this browser');
  await userEvent.click(
    await screen.findByRole('button', { name: 'Save preset Careful in the service' }),
  );
  await waitFor(() => expect(useBrowserPresets.getState().presets).toEqual([]));
  expect(kept).toMatchObject([{ name: 'Fast' }, { name: 'Careful', config: { tags: ['x'] } }]);
  await userEvent.click(await presetField());
  const options = within(await screen.findByRole('listbox')).getAllByRole('option');
  expect(options.map(({ textContent }) => textContent)).toEqual(['No preset', 'Careful', 'Fast']);
});

test('a preset that the service refuses stays in the browser, with the reason', async () => {
  useBrowserPresets.setState({ presets: [inBrowser('Careful')] });
  const { handlers } = fakeAssistants([]);
  openAt('/here?compose=1&for=approval', {
    ...handlers,
    [create]: () => failure(422, 'invalid_request', 'They exclude each other.'),
  });
  await choose('Careful in this browser');
  await userEvent.click(
    await screen.findByRole('button', { name: 'Save preset Careful in the service' }),
  );
  expect(await screen.findByText('The preset was not saved')).toBeVisible();
  expect(useBrowserPresets.getState().presets).toHaveLength(1);
});

test('an assistant without a name is replaced, and stays without one', async () => {
  const { kept, handlers } = fakeAssistants([assistant('a-1', { name: '' })]);
  openAt('/here?compose=1&for=approval', handlers);
  await userEvent.type(await openConfig(), 'careful{Enter}');
  await saveAs('a-1');
  await waitFor(() => expect(kept[0]?.['version']).toBe(2));
  expect(kept).toMatchObject([{ name: '', config: { tags: ['careful'] } }]);
});

test('a preset that may not be created is saved in the browser, with the reason', async () => {
  const { handlers } = fakeAssistants([]);
  openAt('/here?compose=1&for=approval', {
    ...handlers,
    [create]: () => failure(403, 'permission_denied', 'No.'),
  });
  await userEvent.type(await openConfig(), 'careful{Enter}');
  await saveAs('Careful');
  expect(
    await screen.findByText('Saved in this browser: the policy denies assistants.'),
  ).toBeVisible();
});

test('what the service refuses otherwise is shown, and a list that could not be read is read again', async () => {
  const { handlers } = fakeAssistants([assistant('a-1', { name: 'Fast' })]);
  let isBroken = true;
  const broken = () => failure(500, 'internal', 'Failed.');
  openAt('/here?compose=1&for=approval', {
    ...handlers,
    [search]: (request) => (isBroken ? broken() : handlers[search]?.(request)),
  });
  expect(await screen.findByText('The presets could not be read')).toBeVisible();
  await userEvent.type(await openConfig(), 'careful{Enter}');
  await saveAs('Careful');
  expect(await screen.findByText('The preset was not saved')).toBeVisible();
  expect(useBrowserPresets.getState().presets).toEqual([]);
  isBroken = false;
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(async () => expect(await presetField()).toHaveProperty('value', 'Careful'));
});

test('a context that is no JSON object is not saved', async () => {
  openAt('/here?compose=1&for=approval', fakeAssistants([]).handlers);
  await userEvent.type(await openConfig(), 'x{Enter}');
  const configurable = screen.getByRole('textbox', { name: 'configurable' });
  await userEvent.click(configurable);
  await userEvent.keyboard('5');
  await userEvent.click(await screen.findByRole('button', { name: 'Save preset' }));
  await userEvent.type(await screen.findByLabelText('Name of this preset'), 'Wrong');
  expect(screen.getByText('configurable has to be a JSON object.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true);
});

import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState, type ReactNode } from 'react';
import { expect, test } from 'vitest';
import { renderPart } from '../../test/render-page.tsx';
import { JsonDiff } from './json-diff.tsx';
import { JsonEditor } from './json-editor.tsx';
import { JsonView } from './json-view.tsx';

test('shows a value as indented JSON', () => {
  renderPart(<JsonView label="State" value={{ topic: 'billing', list: [1, 2] }} />);
  const text = screen.getByRole('textbox', { name: 'State' });
  expect(text.textContent).toContain('"topic": "billing"');
  expect(screen.getByText('34 B')).toBeVisible();
});

test('of a large value the keys with their sizes are shown first, and a part when it is chosen', async () => {
  const text = JSON.stringify({ big: 'x'.repeat(1_200_000), messages: [{ role: 'user' }] });
  renderPart(<JsonView label="State" text={text} />);
  const outline = await screen.findByRole('tree', { name: 'Outline of State' });
  const rows = await within(outline).findAllByRole('treeitem');
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringMatching(/^big"x+….*1\.2 MB$/),
    'messagesarray, 119 B',
  ]);
  outline.focus();
  await userEvent.keyboard('{ArrowDown}{ArrowRight}');
  expect(await within(outline).findAllByRole('treeitem')).toHaveLength(3);
  expect(await screen.findByRole('textbox', { name: 'Part' })).toBeVisible();
  expect(screen.getByTitle('messages')).toBeVisible();
});

test('an error in edited JSON is shown with its line', async () => {
  function Form(): ReactNode {
    const [text, setText] = useState('{\n  "a": 1\n  "b": 2\n}');
    return <JsonEditor label="Input" text={text} onChange={setText} />;
  }
  renderPart(<Form />);
  expect(screen.getByText('Line 3: Expected , or } after the value.')).toBeVisible();
});

test('a text that its owner replaces is no edit', async () => {
  const edits: string[] = [];
  function Form(): ReactNode {
    const [text, setText] = useState('{}');
    return (
      <>
        <JsonEditor label="Input" text={text} onChange={(next) => edits.push(next)} />
        <button onClick={() => setText('{"a": 1}')}>Replace</button>
      </>
    );
  }
  renderPart(<Form />);
  await userEvent.click(screen.getByRole('button', { name: 'Replace' }));
  expect(screen.getByRole('textbox', { name: 'Input' }).textContent).toBe('{"a": 1}');
  expect(edits).toEqual([]);
});

test('a comparison lists what changed, and opens to the whole values', async () => {
  const before = { topic: 'a', gone: 1, same: true };
  const after = { topic: 'b', same: true, fresh: [1] };
  renderPart(<JsonDiff before={before} after={after} labels={['step 1', 'step 2']} />);
  const changes = await screen.findAllByRole('listitem');
  expect(changes.map((change) => change.textContent)).toEqual([
    '~changedtopic"a""b"',
    '−removedgone1',
    '+addedfresh[1]',
  ]);
  expect(screen.getByText('1 changed, 1 added, 1 removed')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: /topic/ }));
  await waitFor(() => expect(screen.getByLabelText('step 2, whole value').textContent).toBe('b'));
});

test('shows when two values are the same', async () => {
  const value = { a: 1 };
  renderPart(<JsonDiff before={value} after={{ a: 1 }} labels={['A', 'B']} />);
  expect(await screen.findByText(/No differences/)).toBeVisible();
});

import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { renderPart } from '../test/render-page.tsx';
import { type Tab, TabList } from './tab-list.tsx';

const tabs: readonly Tab<string>[] = [
  { name: 'json', label: 'JSON' },
  { name: 'messages', label: 'Messages', isDisabled: true },
  { name: 'diff', label: 'Diff' },
];

function Chosen() {
  const [chosen, setChosen] = useState('json');
  return <TabList label="Payload" tabs={tabs} chosen={chosen} onChoose={setChosen} />;
}

test('the tab key reaches the chosen tab, arrows, Home and End the others that can be chosen', async () => {
  renderPart(<Chosen />);
  const selected = (): string | null => screen.getByRole('tab', { selected: true }).textContent;
  await userEvent.tab();
  for (const [key, tab] of [
    ['{ArrowRight}', 'Diff'],
    ['{ArrowRight}', 'JSON'],
    ['{ArrowLeft}', 'Diff'],
    ['{Home}', 'JSON'],
    ['{End}', 'Diff'],
  ] as const) {
    await userEvent.keyboard(key);
    expect([key, selected(), document.activeElement?.textContent]).toEqual([key, tab, tab]);
  }
  await userEvent.tab();
  expect(document.activeElement).toBe(document.body);
});

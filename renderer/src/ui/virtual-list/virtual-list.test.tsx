import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState, type ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { renderPart } from '../../test/render-page.tsx';
import { offeredCommands } from '../commands.ts';
import { VirtualList } from './virtual-list.tsx';

function Names({ count, onOpen }: { count: number; onOpen: (name: string) => void }) {
  const [items] = useState(() => Array.from({ length: count }, (_, index) => `row ${index}`));
  const [current, setCurrent] = useState<string>();
  return (
    <VirtualList
      items={items}
      idOf={(item) => item}
      renderRow={(item) => item}
      rowHeight={28}
      label="Names"
      currentId={current}
      onMove={setCurrent}
      onOpen={onOpen}
    />
  );
}

test('a list of 50,000 rows renders only the visible ones, and keys move through it', async () => {
  const onOpen = vi.fn<(name: string) => void>();
  renderPart(<Names count={50_000} onOpen={onOpen} />);
  expect(screen.getAllByRole('option').length).toBeLessThan(60);
  fireEvent.focus(screen.getByRole('listbox', { name: 'Names' }));
  screen.getByRole('listbox').focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{Enter}');
  expect(onOpen.mock.calls[0]?.[0]).toBe('row 2');
});

test('a list scrolls to the row with the cursor, also when its owner moves it', async () => {
  const items = Array.from({ length: 200 }, (_, index) => `row ${index}`);
  function Moved() {
    const [current, setCurrent] = useState('row 0');
    return (
      <>
        <button onClick={() => setCurrent('row 90')}>Far</button>
        <VirtualList
          label="Rows"
          items={items}
          idOf={(item) => item}
          rowHeight={20}
          currentId={current}
          renderRow={(item) => item}
        />
      </>
    );
  }
  renderPart(<Moved />);
  const list = screen.getByRole('listbox');
  Object.defineProperty(list, 'scrollHeight', { value: items.length * 20 });
  const scrolled = vi.spyOn(list, 'scrollTo');
  await userEvent.click(screen.getByRole('button', { name: 'Far' }));
  // As far as needed for it to be the last visible row.
  expect(scrolled.mock.calls).toEqual([[expect.objectContaining({ top: 91 * 20 - 600 })]]);
});

test('a list names its visible rows when they change, not with every rendering', async () => {
  const named = vi.fn<(first: number, last: number) => void>();
  function Rendered() {
    const [count, setCount] = useState(0);
    return (
      <>
        <button onClick={() => setCount(count + 1)}>Again {count}</button>
        <VirtualList
          label="Rows"
          items={['a', 'b']}
          idOf={(item) => item}
          rowHeight={20}
          renderRow={(item) => item}
          onRange={(first, last) => named(first, last)}
        />
      </>
    );
  }
  renderPart(<Rendered />);
  const before = named.mock.calls.length;
  await userEvent.click(screen.getByRole('button', { name: 'Again 0' }));
  expect(screen.getByRole('button', { name: 'Again 1' })).toBeVisible();
  expect(named).toHaveBeenCalledTimes(before);
});

const idOf = (item: string): string => item;
const current = (): string | null | undefined =>
  document.querySelector('.virtual-list-row[data-current]')?.textContent;

/** A day is the head of its hours. */
function Hours({ onOpen }: { onOpen: (hour: string) => void }): ReactNode {
  const [at, setAt] = useState<string>();
  return (
    <VirtualList
      label="Hours"
      items={['Monday', '9', '10', 'Tuesday', '11']}
      idOf={idOf}
      rowHeight={20}
      isHead={(item) => item.endsWith('day')}
      currentId={at}
      onMove={setAt}
      onOpen={onOpen}
      commands={{ group: 'Hours', next: 'Next hour', previous: 'Previous hour', open: 'Open' }}
      renderRow={idOf}
    />
  );
}

test('keys of the page move the cursor over heads, and open what it is at', () => {
  const opened = vi.fn<(hour: string) => void>();
  renderPart(<Hours onOpen={opened} />);
  const press = (keys: string): string | null | undefined => {
    const command = offeredCommands().find((offered) => offered.keys === keys);
    act(() => command?.run({ navigate: () => undefined }));
    return current();
  };
  expect(['j', 'k', 'j', 'j', 'j', 'k'].map(press)).toEqual(['9', '9', '10', '11', '11', '10']);
  press('enter');
  expect(opened.mock.calls[0]?.[0]).toBe('10');
});

test('Home, End and the page keys move over heads too', async () => {
  renderPart(<Hours onOpen={() => undefined} />);
  screen.getByRole('listbox').focus();
  const seen: unknown[] = [];
  for (const key of ['End', 'PageUp', 'PageDown', 'Home']) {
    await userEvent.keyboard(`{${key}}`);
    seen.push(current());
  }
  expect(seen).toEqual(['11', '9', '11', '9']);
});

test('left and right fold the row with the cursor', async () => {
  const folded = vi.fn<(item: string, isFolded: boolean) => void>();
  renderPart(
    <VirtualList
      label="Tree"
      role="tree"
      items={['branch', 'leaf']}
      idOf={idOf}
      rowHeight={20}
      ariaOf={() => ({ 'aria-level': 1 })}
      currentId="branch"
      onFold={(item, isFolded) => folded(item, isFolded)}
      renderRow={idOf}
    />,
  );
  screen.getByRole('tree').focus();
  await userEvent.keyboard('{ArrowLeft}{ArrowRight}');
  expect(folded.mock.calls).toEqual([
    ['branch', true],
    ['branch', false],
  ]);
  const levels = screen.getAllByRole('treeitem').map((row) => row.getAttribute('aria-level'));
  expect(levels).toEqual(['1', '1']);
});

test('a list follows its end until the user scrolls up, and counts what came since', async () => {
  function Growing(): ReactNode {
    const [count, setCount] = useState(200);
    return (
      <>
        <button onClick={() => setCount(count + 3)}>Grow</button>
        <VirtualList
          label="Lines"
          role="log"
          items={Array.from({ length: count }, (_, index) => `line ${index}`)}
          idOf={idOf}
          rowHeight={20}
          followsEnd
          renderRow={idOf}
        />
      </>
    );
  }
  renderPart(<Growing />);
  const list = screen.getByRole('log');
  const scrolled = vi.spyOn(list, 'scrollTo').mockImplementation((to) => {
    list.scrollTop = (to as ScrollToOptions).top ?? 0; // as it is called here
  });
  let height = 200 * 20;
  Object.defineProperty(list, 'scrollHeight', { get: () => height });
  const grow = async (): Promise<void> => {
    height += 60;
    await userEvent.click(screen.getByRole('button', { name: 'Grow' }));
  };
  await grow();
  // The newest are drawn at once, before the browser reports that it has scrolled.
  expect(screen.getByText('line 202')).toBeVisible();
  expect(scrolled.mock.calls).toEqual([[{ top: height }]]);
  // Rows that are measured make the list higher before the browser reports the scrolling: that is not the user's.
  height += 5_000;
  fireEvent.scroll(list);
  expect(scrolled).toHaveBeenLastCalledWith({ top: height });
  list.scrollTop = 1_000;
  fireEvent.scroll(list);
  await grow();
  expect(scrolled).toHaveBeenCalledTimes(2);
  await userEvent.click(screen.getByRole('button', { name: '3 new ↓' }));
  expect(scrolled).toHaveBeenLastCalledWith({ top: height });
  expect(screen.queryByRole('button', { name: /new ↓/ })).toBeNull();
});

test('a list that begins at its end is not scrolled to its start while it is mounted', () => {
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(200 * 20);
  const scrolled = vi.spyOn(Element.prototype, 'scrollTo');
  const items = Array.from({ length: 200 }, (_, index) => `line ${index}`);
  const list = {
    label: 'Lines',
    role: 'log',
    items,
    idOf,
    rowHeight: 20,
    renderRow: idOf,
  } as const;
  renderPart(<VirtualList {...list} isMeasured followsEnd />);
  const tops = scrolled.mock.calls.map(([to]) => (to as ScrollToOptions).top ?? 0); // as it is called here
  expect(Math.min(...tops)).toBeGreaterThanOrEqual(200 * 20);
  vi.restoreAllMocks();
});

test('a row in the URL is shown in the middle when it arrives, but not after the user has scrolled', async () => {
  function Arriving(): ReactNode {
    const [count, setCount] = useState(100);
    return (
      <>
        <button onClick={() => setCount(300)}>Arrive</button>
        <VirtualList
          label="Rows"
          items={Array.from({ length: count }, (_, index) => `row ${index}`)}
          idOf={idOf}
          rowHeight={20}
          currentId="row 200"
          renderRow={idOf}
        />
      </>
    );
  }
  const arrive = async (before: (list: HTMLElement) => void): Promise<unknown[]> => {
    cleanup();
    renderPart(<Arriving />);
    const list = screen.getByRole('listbox');
    const scrolled = vi.spyOn(list, 'scrollTo');
    before(list);
    await userEvent.click(screen.getByRole('button', { name: 'Arrive' }));
    return scrolled.mock.calls;
  };
  expect(await arrive(() => undefined)).toEqual([[{ top: 200 * 20 - (600 - 20) / 2 }]]);
  expect(await arrive((list) => fireEvent.wheel(list))).toEqual([]);
});

import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState, type ReactNode } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '../test/render-page.tsx';
import { tip, Tips } from './tip.tsx';

function Buttons(): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [isPresent, setPresent] = useState(true);
  return (
    <>
      <button {...tip(isCopied ? 'Copied' : 'Copy the id')} onClick={() => setCopied(true)}>
        copy
      </button>
      <button {...tip('What can be done')} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        menu
      </button>
      {isPresent && (
        <button {...tip('Removes itself')} onClick={() => setPresent(false)}>
          leave
        </button>
      )}
      <input aria-label="field" />
      <a {...tip('Links to another page')} href="#elsewhere">
        link
      </a>
      <button {...tip('theme')} aria-label="theme" />
      <p>no tip</p>
      <Tips />
    </>
  );
}

// The clock advances only on a test's request. Testing Library uses `jest` for that.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('jest', vi);
});

const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
const pass = (ms: number): Promise<unknown> => act(() => vi.advanceTimersByTimeAsync(ms));
const tipText = (): string | undefined => screen.queryByRole('tooltip')?.textContent ?? undefined;
const button = (name: string): HTMLElement => screen.getByRole('button', { name });

test('a resting pointer shows a tip, the next element’s at once, and a label that changes meanwhile', async () => {
  renderPart(<Buttons />);
  await user.hover(button('copy'));
  await pass(340);
  expect(tipText()).toBeUndefined();
  await pass(10);
  expect(tipText()).toBe('Copy the id');
  const described = button('copy').getAttribute('aria-describedby');
  expect(document.getElementById(described ?? '')?.textContent).toBe('Copy the id');
  // Another element has the focus: the click moves it.
  act(() => screen.getByRole('textbox').focus());
  await user.click(button('copy'));
  await waitFor(() => expect(tipText()).toBe('Copied'));
  await user.hover(button('menu'));
  expect(tipText()).toBe('What can be done');
  expect(button('copy').hasAttribute('aria-describedby')).toBe(false);
  await user.hover(screen.getByText('no tip'));
  expect(tipText()).toBeUndefined();
});

test('an open element has no tip, nor a removed one', async () => {
  renderPart(<Buttons />);
  await user.hover(button('menu'));
  await pass(350);
  expect(tipText()).toBe('What can be done');
  await user.click(button('menu'));
  await waitFor(() => expect(tipText()).toBeUndefined());
  await user.hover(button('leave'));
  await pass(350);
  expect(tipText()).toBe('Removes itself');
  await user.click(button('leave'));
  await waitFor(() => expect(tipText()).toBeUndefined());
});

test('the keyboard’s focus shows a tip too, until Escape or the next element', async () => {
  renderPart(<Buttons />);
  await user.tab();
  await pass(350);
  expect(tipText()).toBe('Copy the id');
  await user.keyboard('{Escape}');
  expect(tipText()).toBeUndefined();
  await user.tab();
  await pass(350);
  expect(tipText()).toBe('What can be done');
  act(() => button('menu').blur());
  expect(tipText()).toBeUndefined();
  act(() => button('copy').focus());
  await user.hover(screen.getByRole('link'));
  await pass(350);
  expect(tipText()).toBe('Links to another page');
});

test('a followed link has no tip any more, and a name is not announced twice', async () => {
  renderPart(<Buttons />);
  await user.hover(screen.getByRole('link'));
  await pass(350);
  expect(tipText()).toBe('Links to another page');
  await user.click(screen.getByRole('link'));
  expect(tipText()).toBeUndefined();
  await user.hover(button('theme'));
  await pass(350);
  expect(tipText()).toBe('theme');
  expect(button('theme').hasAttribute('aria-describedby')).toBe(false);
});

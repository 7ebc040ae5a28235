import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState, type ReactNode } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '../test/render-page.tsx';
import { tip, Tips } from './tip.tsx';

function Buttons(): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [isThere, setThere] = useState(true);
  return (
    <>
      <button {...tip(isCopied ? 'Copied' : 'Copy the id')} onClick={() => setCopied(true)}>
        copy
      </button>
      <button {...tip('What can be done')} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        menu
      </button>
      {isThere && (
        <button {...tip('Goes away')} onClick={() => setThere(false)}>
          leave
        </button>
      )}
      <input aria-label="field" />
      <a {...tip('Leads elsewhere')} href="#elsewhere">
        link
      </a>
      <button {...tip('theme')} aria-label="theme" />
      <p>nothing to tell</p>
      <Tips />
    </>
  );
}

// The clock goes on only when a test says so. Testing Library asks `jest` for that.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('jest', vi);
});

const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
const pass = (ms: number): Promise<unknown> => act(() => vi.advanceTimersByTimeAsync(ms));
const told = (): string | undefined => screen.queryByRole('tooltip')?.textContent ?? undefined;
const button = (name: string): HTMLElement => screen.getByRole('button', { name });

test('a pointer that rests is told, the next place at once, and what changes meanwhile', async () => {
  renderPart(<Buttons />);
  await user.hover(button('copy'));
  await pass(340);
  expect(told()).toBeUndefined();
  await pass(10);
  expect(told()).toBe('Copy the id');
  const described = button('copy').getAttribute('aria-describedby');
  expect(document.getElementById(described ?? '')?.textContent).toBe('Copy the id');
  // Somebody types elsewhere: the click takes the focus from there.
  act(() => screen.getByRole('textbox').focus());
  await user.click(button('copy'));
  await waitFor(() => expect(told()).toBe('Copied'));
  await user.hover(button('menu'));
  expect(told()).toBe('What can be done');
  expect(button('copy').hasAttribute('aria-describedby')).toBe(false);
  await user.hover(screen.getByText('nothing to tell'));
  expect(told()).toBeUndefined();
});

test('what is open is not covered, and what is gone tells nothing', async () => {
  renderPart(<Buttons />);
  await user.hover(button('menu'));
  await pass(350);
  expect(told()).toBe('What can be done');
  await user.click(button('menu'));
  await waitFor(() => expect(told()).toBeUndefined());
  await user.hover(button('leave'));
  await pass(350);
  expect(told()).toBe('Goes away');
  await user.click(button('leave'));
  await waitFor(() => expect(told()).toBeUndefined());
});

test('the keyboard is told too, until Escape or the next element', async () => {
  renderPart(<Buttons />);
  await user.tab();
  await pass(350);
  expect(told()).toBe('Copy the id');
  await user.keyboard('{Escape}');
  expect(told()).toBeUndefined();
  await user.tab();
  await pass(350);
  expect(told()).toBe('What can be done');
  act(() => button('menu').blur());
  expect(told()).toBeUndefined();
  act(() => button('copy').focus());
  await user.hover(screen.getByRole('link'));
  await pass(350);
  expect(told()).toBe('Leads elsewhere');
});

test('a link that was followed tells nothing more, and a name is not told twice', async () => {
  renderPart(<Buttons />);
  await user.hover(screen.getByRole('link'));
  await pass(350);
  expect(told()).toBe('Leads elsewhere');
  await user.click(screen.getByRole('link'));
  expect(told()).toBeUndefined();
  await user.hover(button('theme'));
  await pass(350);
  expect(told()).toBe('theme');
  expect(button('theme').hasAttribute('aria-describedby')).toBe(false);
});

import type { Command } from './commands.ts';

const sequenceLimit = 900;

interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** A key press in the notation of `Command.keys`. */
export function writtenKey({ key, ctrlKey, metaKey, altKey }: KeyPress): string {
  const name = key.length === 1 ? key.toLowerCase() : key.toLowerCase().replace('arrow', '');
  return `${ctrlKey || metaKey ? 'mod+' : ''}${altKey ? 'alt+' : ''}${name === ' ' ? 'space' : name}`;
}

/** Follows key presses and returns the keys that they name; `pending` is the first half of a sequence. */
export function createKeySequence(now: () => number = () => performance.now()) {
  let pending: { key: string; at: number } | undefined;
  return (press: KeyPress, commands: readonly Command[]): Command | undefined => {
    const key = writtenKey(press);
    const before = pending !== undefined && now() - pending.at < sequenceLimit ? pending.key : '';
    pending = undefined;
    const both =
      before === '' ? undefined : commands.find(({ keys }) => keys === `${before} ${key}`);
    if (both !== undefined) return both;
    if (commands.some(({ keys }) => keys?.startsWith(`${key} `))) {
      pending = { key, at: now() };
      return undefined;
    }
    return commands.find(({ keys }) => keys === key);
  };
}

/** True where letters are text: there, only chords such as Ctrl+K are commands. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select') ||
    target.closest('[role=dialog],[role=menu],[role=listbox]:not(.virtual-list)') !== null
  );
}

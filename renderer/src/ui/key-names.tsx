import type { ReactNode } from 'react';
import './key-names.css';

const isMac = typeof navigator !== 'undefined' && /mac/i.test(navigator.userAgent);
const names: Readonly<Record<string, string>> = {
  mod: isMac ? '⌘' : 'Ctrl',
  alt: isMac ? '⌥' : 'Alt',
  enter: '↵',
  escape: 'Esc',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  space: 'Space',
};

/** `mod+k` or `g t` as displayed keys. */
export function KeyNames({ keys }: { keys: string }): ReactNode {
  return (
    <span className="key-names">
      {keys.split(' ').map((press, index) => (
        <kbd key={`${index}${press}`}>
          {press
            .split(/\+(?=.)/)
            .map(
              (key) =>
                names[key] ?? (key.length === 1 && press.includes('+') ? key.toUpperCase() : key),
            )
            .join(isMac ? '' : '+')}
        </kbd>
      ))}
    </span>
  );
}

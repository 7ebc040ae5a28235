import type { ReactNode } from 'react';

/** Control and format characters, such as those that turn text around; line ends; halves of characters. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text that somebody else wrote, cut where it is long, with `\u{202e}` in the place of what would not be seen. */
export function revealed(text: string, maxLength = 200): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.replace(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same on a page: whatever it holds, it is text, and changes nothing around it. */
export function ForeignText({ text, maxLength }: { text: string; maxLength?: number }): ReactNode {
  return <bdi className="foreign-text">{revealed(text, maxLength)}</bdi>;
}

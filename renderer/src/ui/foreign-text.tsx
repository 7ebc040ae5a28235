import type { ReactNode } from 'react';

/** Control and format characters, such as those that turn text around; line ends; halves of characters. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Untrusted text, cut where it is long, with invisible characters escaped as `\u{202e}`. */
export function revealed(text: string, maxLength = 200): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.replace(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same on a page: whatever it contains, it is text, and does not affect its surroundings. */
export function ForeignText({ text, maxLength }: { text: string; maxLength?: number }): ReactNode {
  return <bdi>{revealed(text, maxLength)}</bdi>;
}

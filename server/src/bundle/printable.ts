/** What a terminal or a log would not show as it is: control and format characters (colours, text that runs the other way), line ends, halves of characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text that somebody else wrote, so that all of it can be seen: `\u{1b}` stands for what would not be. Long text is cut. */
export function printable(text: string, maxLength = Infinity): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

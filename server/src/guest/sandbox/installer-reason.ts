/** What npm says around its reason: codes, paths, stacks and where its log is. */
const ASIDE =
  /^$|^(code|syscall|path|errno|command|dest|signal)\b|^at |^A complete log|^[{}]|^\w+: .*,$/;

/**
 * Why an npm that failed did so, in its own words; undefined where it said nothing of the kind, and the last line tells
 * most (pip). npm ends with the place of a log file, which nobody outside of the sandbox has.
 */
export function installerReason(lines: readonly string[]): string | undefined {
  const words = lines.flatMap((line) => {
    const [, code, text] = /^npm (?:error|ERR!)(?: (code [A-Z]\w*))?(.*)$/.exec(line) ?? [];
    return text === undefined ? [] : [(code ?? text).trim()];
  });
  const code = words.find((word) => word.startsWith('code '))?.slice('code '.length);
  const prefix = code?.replace(/^E/, '').toLowerCase();
  const of = (word: string): string => {
    const bare = [code?.toLowerCase(), prefix].find((one) => one && word.startsWith(`${one} `));
    return bare === undefined ? word : word.slice(bare.length + 1);
  };
  const from = words.findIndex((word) => word.startsWith('code '));
  return words
    .slice(from + 1)
    .map(of)
    .find((word) => !ASIDE.test(word) && word !== 'command failed');
}

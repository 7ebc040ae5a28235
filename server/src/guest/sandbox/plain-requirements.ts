/** A package of an index: a name with versions, extras, markers and hashes. Not `x @ file:…`. */
const PLAIN =
  /^[A-Za-z0-9][\w.-]*\s*(?:\[[\w\s,.-]*\])?\s*\(?(?:[<>=!~][\w\s.*+!<>=~,]*)?\)?\s*(?:;[^@\\]*)?\s*(?:--hash=\S+\s*)*$/;

/** Other files are read themselves, and indexes are the same for everybody who names them. */
const OPTION =
  /^(?:(?:-r|-c|--requirement|--constraint)[ =]*\S+|(?:-i|--index-url|--extra-index-url)[ =]*https?:\/\/\S+|--pre|--prefer-binary|--require-hashes|(?:--hash=\S+\s*)+)$/;

/** pip takes a file of the working folder for such a name. */
const ARCHIVE = /\.(?:whl|zip|tar|tgz|tbz|txz|tlz|gz|bz2|xz|lz|lzma)$/i;

/**
 * True when the texts of requirements say all that decides what is installed. Anything else, such as a path, an editable
 * install or a folder of packages, may differ in two folders with the same texts.
 */
export function areAllPlain(texts: readonly string[]): boolean {
  return texts.every((text) =>
    text
      .replaceAll(/\\\r?\n/g, ' ')
      .split(/\r?\n/)
      .every(isPlain),
  );
}

function isPlain(written: string): boolean {
  const line = written.replace(/(?:^|\s)#.*$/, '').trim();
  if (line === '' || OPTION.test(line)) return true;
  return PLAIN.test(line) && !ARCHIVE.test(line);
}

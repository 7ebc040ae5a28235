/** A line of a traceback, with the place in a file that it names. */
export interface TracebackLine {
  readonly text: string;
  readonly place: SourcePlace | undefined;
}

/** A line of a file, as editors open it. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column?: number | undefined;
}

export interface SourcePlace extends FilePlace {
  /** Where in the text it stands. */
  readonly start: number;
  readonly end: number;
  /** A library's file, not the agent's. */
  readonly isForeign: boolean;
}

const python = /File "([^"]+)", line (\d+)/;
const javascript = /(?:file:\/\/)?((?:[A-Za-z]:)?[\\/][^():]*?\.[cm]?[jt]sx?):(\d+)(?::(\d+))?/;
const foreign =
  /site-packages|dist-packages|node_modules|[\\/]lib[\\/]python|<frozen|agent_runtime_guest/;

/** Splits a traceback of Python or JavaScript into lines and finds the places that they name. */
export function readTraceback(traceback: string): readonly TracebackLine[] {
  return traceback
    .trimEnd()
    .split('\n')
    .map((text) => ({ text, place: placeIn(text) }));
}

/** Lines that belong together: a frame of the agent's own code, or all frames of libraries between two of those. */
export interface TracebackPart {
  readonly isForeign: boolean;
  readonly frames: number;
  readonly lines: readonly TracebackLine[];
}

/** Groups lines so that what libraries did can be folded away. */
export function tracebackParts(lines: readonly TracebackLine[]): readonly TracebackPart[] {
  const parts: { isForeign: boolean; frames: number; lines: TracebackLine[] }[] = [];
  for (const line of lines) {
    const last = parts.at(-1);
    // A line without a place belongs to the frame above it; only Python's are indented below theirs.
    const isForeign =
      line.place?.isForeign ?? (last?.isForeign === true && /^\s{4}/.test(line.text));
    const frames = line.place === undefined ? 0 : 1;
    if (last?.isForeign === isForeign) {
      last.lines.push(line);
      last.frames += frames;
    } else parts.push({ isForeign, frames, lines: [line] });
  }
  return parts;
}

/** The place to look at first: the agent's own line that is closest to where it was raised. */
export function firstPlace(lines: readonly TracebackLine[]): SourcePlace | undefined {
  const own = lines.flatMap(({ place }) => (place === undefined || place.isForeign ? [] : [place]));
  // Python names the innermost last, JavaScript first.
  const isPython = lines.some(({ text }) => python.test(text));
  return isPython ? own.at(-1) : own[0];
}

/** The same place by its whole path; undefined where its folder is not known. */
export function absolutePlace(place: FilePlace, folder: string | undefined): FilePlace | undefined {
  if (/^([\\/]|[A-Za-z]:)/.test(place.file)) return place;
  return folder === undefined ? undefined : { ...place, file: `${folder}/${place.file}` };
}

/** A link that opens the place in the editor. */
export function editorLink({ file, line, column }: FilePlace): string {
  const path = file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return `vscode://file${rooted.replace('%3A', ':')}:${line}${column === undefined ? '' : `:${column}`}`;
}

function placeIn(text: string): SourcePlace | undefined {
  const found = python.exec(text) ?? javascript.exec(text);
  const [whole, file, line, column] = found ?? [];
  if (found === null || whole === undefined || file === undefined) return undefined;
  return {
    file,
    line: Number(line),
    column: column === undefined ? undefined : Number(column),
    start: found.index,
    end: found.index + whole.length,
    isForeign: foreign.test(file),
  };
}

/** A line of a traceback, with the source location in it. */
export interface TracebackLine {
  readonly text: string;
  readonly location: SourceLocation | undefined;
}

/** A line of a file, as editors open it. */
export interface FileLocation {
  readonly file: string;
  readonly line: number;
  readonly column?: number | undefined;
}

export interface SourceLocation extends FileLocation {
  /** Its range in the text. */
  readonly start: number;
  readonly end: number;
  /** A library's file, not the agent's. */
  readonly isForeign: boolean;
}

const python = /File "([^"]+)", line (\d+)/;
const javascript = /(?:file:\/\/)?((?:[A-Za-z]:)?[\\/][^():]*?\.[cm]?[jt]sx?):(\d+)(?::(\d+))?/;
const foreign =
  /site-packages|dist-packages|node_modules|[\\/]lib[\\/]python|<frozen|agent_runtime_guest/;

/** Splits a traceback of Python or JavaScript into lines and finds the source locations in them. */
export function readTraceback(traceback: string): readonly TracebackLine[] {
  return traceback
    .trimEnd()
    .split('\n')
    .map((text) => ({ text, location: locationIn(text) }));
}

/** Lines that belong together: a frame of the agent's own code, or all frames of libraries between two of those. */
export interface TracebackPart {
  readonly isForeign: boolean;
  readonly frames: number;
  readonly lines: readonly TracebackLine[];
}

/** Groups lines so that frames of libraries can be folded. */
export function tracebackParts(lines: readonly TracebackLine[]): readonly TracebackPart[] {
  const parts: { isForeign: boolean; frames: number; lines: TracebackLine[] }[] = [];
  for (const line of lines) {
    const last = parts.at(-1);
    // A line without a location belongs to the frame above it; only Python's are indented below theirs.
    const isForeign =
      line.location?.isForeign ?? (last?.isForeign === true && /^\s{4}/.test(line.text));
    const frames = line.location === undefined ? 0 : 1;
    if (last?.isForeign === isForeign) {
      last.lines.push(line);
      last.frames += frames;
    } else parts.push({ isForeign, frames, lines: [line] });
  }
  return parts;
}

/** The most relevant location: the agent's own line that is closest to where the error was raised. */
export function firstLocation(lines: readonly TracebackLine[]): SourceLocation | undefined {
  const own = lines.flatMap(({ location }) =>
    location === undefined || location.isForeign ? [] : [location],
  );
  // Python names the innermost last, JavaScript first.
  const isPython = lines.some(({ text }) => python.test(text));
  return isPython ? own.at(-1) : own[0];
}

/** The same location with an absolute path; undefined where its folder is unknown. */
export function absoluteLocation(
  location: FileLocation,
  folder: string | undefined,
): FileLocation | undefined {
  if (/^([\\/]|[A-Za-z]:)/.test(location.file)) return location;
  return folder === undefined ? undefined : { ...location, file: `${folder}/${location.file}` };
}

/** A link that opens the location in the editor. */
export function editorLink({ file, line, column }: FileLocation): string {
  const path = file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return `vscode://file${rooted.replace('%3A', ':')}:${line}${column === undefined ? '' : `:${column}`}`;
}

function locationIn(text: string): SourceLocation | undefined {
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

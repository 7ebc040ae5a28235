// The file's format is docs/bundle-format.md; members that this page does not show are ignored.
import { Refusal } from '../../api/errors.ts';
import { isRecord, textOf } from '../../api/json-record.ts';
import { linesOf, unpack, type BundleLine } from './bundle-lines.ts';
import { ThreadsRead, type BundleThread } from './bundle-threads.ts';
import { BufferedBytes } from './buffered-bytes.ts';

/** The content of a file. It is untrusted: only its checksum was verified. */
export interface Bundle {
  readonly name: string;
  readonly bytes: number;
  readonly createdAt: string;
  readonly writtenBy: string;
  /** Its stated maker; undefined without one. */
  readonly madeBy: MadeBy | undefined;
  readonly agent: { readonly id: string; readonly version: string | undefined } | undefined;
  readonly threads: readonly BundleThread[];
  /** Why the service would refuse it: only what could be read is shown. */
  readonly problem: string | undefined;
  /** False: it is too large for the page's memory, so there are counts and no records. */
  readonly hasRecords: boolean;
}

/** `sub` and `issuer`: exported over HTTP; `user` and `host`: on the command line. */
export type MadeBy = Readonly<Partial<Record<'sub' | 'issuer' | 'user' | 'host', string>>>;

const format = 'agent-runtime-bundle';
const newestVersion = 2;

/** Reads a file to its end, or as far as possible; throws a Refusal when it is no bundle. */
export async function readBundle(file: File): Promise<Bundle> {
  const buffered = new BufferedBytes();
  const read = new ThreadsRead();
  let header: BundleLine | undefined;
  let agent: BundleLine | undefined;
  let end: { line: BundleLine; beginsAt: number } | undefined;
  let problem: string | undefined;
  try {
    for await (const { line, beginsAt } of linesOf(buffered.keep(unpack(file)))) {
      if (end !== undefined) throw new Refusal('The file is damaged: something follows its end.');
      if (header === undefined) header = requireHeader(line);
      else if (line.kind === 'end') end = { line, beginsAt };
      else {
        if (line.kind === 'agent') agent ??= line;
        read.take(line, { isKept: !buffered.isFull });
      }
    }
    if (header === undefined) throw notABundle();
    if (end === undefined) throw new Refusal('The file is cut off: its last line is missing.');
    const sum = await buffered.sha256(end.beginsAt);
    if (sum !== undefined && end.line['sha256'] !== sum) {
      throw new Refusal('The file is damaged: its content does not fit its checksum.');
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (header === undefined) throw error;
    problem = error.message;
  }
  return {
    name: file.name,
    bytes: file.size,
    createdAt: textOf(header, 'created_at') ?? '',
    writtenBy: productOf(header),
    madeBy: makerOf(header),
    agent:
      agent === undefined
        ? undefined
        : { id: textOf(agent, 'agent_id') ?? '', version: textOf(agent, 'version') },
    threads: read.threads,
    problem,
    hasRecords: !buffered.isFull,
  };
}

/** A member that is a JSON text, parsed; undefined when it is absent or none. */
export function jsonOf(line: BundleLine, member: string): unknown {
  const text = textOf(line, member);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requireHeader(line: BundleLine): BundleLine {
  if (line.kind !== 'header' || line['format'] !== format) throw notABundle();
  if (Number(line['version']) > newestVersion) {
    throw new Refusal('The bundle was written by a newer version. Update to open it.');
  }
  return line;
}

function notABundle(): Refusal {
  return new Refusal('The file is no bundle of Agent Runtime.');
}

function productOf(header: BundleLine): string {
  const product: unknown = header['product'];
  if (!isRecord(product)) return '';
  return [textOf(product, 'name'), textOf(product, 'version')].join(' ').trim();
}

function makerOf(header: BundleLine): MadeBy | undefined {
  const given: unknown = header['made_by'];
  if (!isRecord(given)) return undefined;
  const names = (['sub', 'issuer', 'user', 'host'] as const).flatMap((name) => {
    const text = textOf(given, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return names.length === 0 ? undefined : Object.fromEntries(names);
}

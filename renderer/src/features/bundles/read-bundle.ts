// The file's format is docs/bundle-format.md; members that this page does not show are left alone.
import { Refusal } from '../../api/errors.ts';
import { isRecord, textOf } from '../../api/json-record.ts';

/** One line between header and end. */
export interface BundleLine {
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** A bundle that was read to its end, and is whole. */
export interface Bundle {
  readonly name: string;
  readonly bytes: number;
  readonly createdAt: string;
  readonly writtenBy: string;
  readonly agent: { readonly id: string; readonly version: string | undefined } | undefined;
  readonly threads: readonly BundleThread[];
}

/** A thread with what follows its line. */
export interface BundleThread {
  readonly thread: BundleLine;
  readonly runs: readonly BundleLine[];
  readonly checkpoints: readonly BundleLine[];
  readonly blobs: readonly BundleLine[];
  readonly events: readonly BundleLine[];
  readonly logs: readonly BundleLine[];
}

const format = 'agent-runtime-bundle';
const newestVersion = 1;
/** Unpacked. The page holds the whole file; larger ones are imported and read page by page. */
const maxUnpackedBytes = 256 * 1024 * 1024;

/** Reads and checks a file; throws one sentence when it is no bundle, or a damaged one. */
export async function readBundle(file: File): Promise<Bundle> {
  const bytes = await unpack(file);
  const endAt = bytes.lastIndexOf(10, bytes.length - 2) + 1;
  const decoder = new TextDecoder();
  const end = parseLine(decoder.decode(bytes.subarray(endAt)));
  if (end?.kind !== 'end') throw new Refusal('The file is cut off: its last line is missing.');
  if (end['sha256'] !== (await sha256(bytes.subarray(0, endAt)))) {
    throw new Refusal('The file is damaged: its content does not fit its checksum.');
  }
  const [first, ...lines] = splitLines(decoder.decode(bytes.subarray(0, endAt)));
  const header = first === undefined ? undefined : parseLine(first);
  if (header?.kind !== 'header' || header['format'] !== format) {
    throw new Refusal('The file is no bundle of Agent Runtime.');
  }
  if (Number(header['version']) > newestVersion) {
    throw new Refusal('The bundle was written by a newer version. Update to open it.');
  }
  const records = lines.map(parseLine).filter((line) => line !== undefined);
  const agent = records.find(({ kind }) => kind === 'agent');
  return {
    name: file.name,
    bytes: file.size,
    createdAt: textOf(header, 'created_at') ?? '',
    writtenBy: productOf(header),
    agent:
      agent === undefined
        ? undefined
        : { id: textOf(agent, 'agent_id') ?? '', version: textOf(agent, 'version') },
    threads: threadsOf(records),
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

async function unpack(file: File): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new Refusal('The file is no bundle: it is not packed with gzip, or it is cut off.', {
        cause,
      });
    });
    if (done) break;
    size += value.length;
    if (size > maxUnpackedBytes) {
      await reader.cancel();
      throw new Refusal('The bundle is too large to be shown here. Import it and read the thread.');
    }
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function splitLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function parseLine(text: string): BundleLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isLine = isRecord(value) && textOf(value, 'kind') !== undefined;
    return isLine ? (value as BundleLine) : undefined; // just looked at
  } catch {
    return undefined;
  }
}

function productOf(header: BundleLine): string {
  const product: unknown = header['product'];
  if (!isRecord(product)) return '';
  return Object.values(product).map(String).join(' ');
}

function threadsOf(records: readonly BundleLine[]): BundleThread[] {
  const threads: { thread: BundleLine; lines: BundleLine[] }[] = [];
  for (const record of records) {
    if (record.kind === 'thread') threads.push({ thread: record, lines: [] });
    else threads.at(-1)?.lines.push(record);
  }
  const of = (lines: readonly BundleLine[], kind: string): BundleLine[] =>
    lines.filter((line) => line.kind === kind);
  return threads.map(({ thread, lines }) => ({
    thread,
    runs: of(lines, 'run'),
    checkpoints: of(lines, 'checkpoint'),
    blobs: of(lines, 'blob'),
    events: of(lines, 'event'),
    logs: of(lines, 'log'),
  }));
}

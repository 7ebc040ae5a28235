import { constant } from './limit-row.ts';

const MIB = 1024 * 1024;

/** One bundle that is imported over HTTP: a larger one is imported by the command. */
export const BUNDLE_BODY_BYTES = 256 * MIB;

/** Its size after unpacking. */
export const BUNDLE_UNPACKED_BYTES = 512 * MIB;

/** One line of it: a checkpoint at the platform's ceiling is some 90 MiB. */
export const BUNDLE_LINE_BYTES = 96 * MIB;

/** JSON values in it. Large payloads are text and count as one value: a thread with a full history has some 100,000. */
export const BUNDLE_VALUES = 2_000_000;

/** JSON values in one line over HTTP, its JSON texts included: parsing a line at once blocks everything else. */
export const BUNDLE_LINE_VALUES = 500_000;

/** The ratio of unpacked to packed bytes of a bundle over HTTP; bundles of agents' threads have some ten. */
export const BUNDLE_RATIO = 100;

/** A bundle may unpack to this size whatever its packed size. */
export const BUNDLE_FREE_BYTES = 64 * MIB;

/** Bundles that may arrive at the same time. They are unpacked one after the other. */
export const BUNDLE_IMPORTS = 8;

/** Nesting depth of the JSON of a line: bodies of requests have 500 levels, and lines contain members of them. */
export const BUNDLE_DEPTH = 512;

/** Nesting depth of a JSON text made by a guest: Python's own writer fails beyond it. */
export const BUNDLE_TEXT_DEPTH = 1_000;

/** Lines of one thread, by kind. More than fits into the engine's payload, into which a thread has to fit. */
export const BUNDLE_PARTS = {
  run: 5_000,
  checkpoint: 20_000,
  blob: 100_000,
  agent: 10,
  event: 10_000,
  gap: 10_000,
  log: 10_000,
} as const;

/** Pending writes of one checkpoint. */
export const BUNDLE_WRITES = 20_000;

/** Channels of one checkpoint. */
export const BUNDLE_CHANNELS = 5_000;

/** Versions that all checkpoints of one thread name together. */
export const BUNDLE_VERSIONS = 200_000;

/** The last millisecond of the year 9999, which every calendar and format can show. */
export const BUNDLE_TIME_MS = 253_402_300_799_999;

/** The size to which a bundle over HTTP of `packedBytes` may unpack. */
export function unpackedLimit(packedBytes: number): number {
  const inProportion = Math.max(BUNDLE_FREE_BYTES, BUNDLE_RATIO * packedBytes);
  return Math.min(BUNDLE_UNPACKED_BYTES, inProportion);
}

/** The rows of the table of limits (limits.ts) that are about bundles over HTTP. */
export const bundleLimitRows = {
  bundleBody: constant(BUNDLE_BODY_BYTES, {
    what: 'one bundle that is imported over HTTP',
    unit: 'bytes',
    where: 'host, while it is read',
    outcome: '413 `payload_too_large`',
  }),
  bundleUnpacked: constant(BUNDLE_UNPACKED_BYTES, {
    what: 'the same unpacked',
    unit: 'bytes',
    where: 'host, before anything is taken',
    outcome: '413 `payload_too_large`',
  }),
  bundleLine: constant(BUNDLE_LINE_BYTES, {
    what: 'one line of it',
    unit: 'bytes',
    where: 'host, while it is unpacked',
    outcome: '400 `bundle_invalid`',
  }),
  bundleValues: constant(BUNDLE_VALUES, {
    what: 'JSON values of all its lines, those in JSON texts included; other text is one, whatever it holds',
    unit: 'values',
    where: 'host, before a line is parsed',
    outcome: '413 `payload_too_large`',
  }),
  bundleRatio: constant(BUNDLE_RATIO, {
    what: 'bytes that it may unpack to for each of its own, where that is more than 64 MiB',
    unit: 'bytes',
    where: 'host, before anything is taken',
    outcome: '413 `payload_too_large`',
  }),
  bundleLineValues: constant(BUNDLE_LINE_VALUES, {
    what: 'JSON values of one of its lines, those in its JSON texts included',
    unit: 'values',
    where: 'host, before they are parsed',
    outcome: '413 `payload_too_large`',
  }),
  bundleRuns: constant(BUNDLE_PARTS.run, {
    what: 'runs of one thread of a bundle, over HTTP or by the command',
    unit: 'runs',
    where: 'host, before anything is taken',
    outcome: '400 `bundle_invalid`',
  }),
  bundleCheckpoints: constant(BUNDLE_PARTS.checkpoint, {
    what: 'its checkpoints',
    unit: 'checkpoints',
    where: 'host, before anything is taken',
    outcome: '400 `bundle_invalid`',
  }),
  bundleWrites: constant(BUNDLE_WRITES, {
    what: 'pending writes beside one of them',
    unit: 'writes',
    where: 'host, before anything is taken',
    outcome: '400 `bundle_invalid`',
  }),
  bundleBlobs: constant(BUNDLE_PARTS.blob, {
    what: 'its channel values',
    unit: 'values',
    where: 'host, before anything is taken',
    outcome: '400 `bundle_invalid`',
  }),
  bundleImports: constant(BUNDLE_IMPORTS, {
    what: 'bundles that arrive over HTTP at the same time; they are unpacked one after the other',
    unit: 'imports',
    where: 'host, before the body is read',
    outcome: '503 `too_many_imports`, `Retry-After`',
  }),
};

import { constant } from './limit-row.ts';

const MIB = 1024 * 1024;

/** One bundle that is imported over HTTP: a larger one is imported by the command. */
export const BUNDLE_BODY_BYTES = 256 * MIB;

/** The same unpacked. */
export const BUNDLE_UNPACKED_BYTES = 512 * MIB;

/** One line of it: a checkpoint of the platform's ceiling is some 90 MiB. */
export const BUNDLE_LINE_BYTES = 96 * MIB;

/** JSON values in it. Large payloads are text, which is one value each: a thread with a full history has some 100,000. */
export const BUNDLE_VALUES = 2_000_000;

/** Bundles that may arrive at the same time. They are unpacked one after the other. */
export const BUNDLE_IMPORTS = 8;

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
    what: 'JSON values of all its lines; text is one, whatever it holds',
    unit: 'values',
    where: 'host, before a line is parsed',
    outcome: '413 `payload_too_large`',
  }),
  bundleImports: constant(BUNDLE_IMPORTS, {
    what: 'bundles that arrive over HTTP at the same time; they are unpacked one after the other',
    unit: 'imports',
    where: 'host, before the body is read',
    outcome: '503 `too_many_imports`, `Retry-After`',
  }),
};

/** The limits of what the service accepts from agents outside of their calls: their files, packages and output. */
import { constant, type LimitRow } from './limit-row.ts';

const MIB = 1024 * 1024;

/** Of one installation, with its temporary files: packages for GPUs have 6 GiB, and are unpacked once before. */
export const INSTALLED_BYTES = 24 * 1024 * MIB;

/** Files that determine what is installed from a folder's own sources. */
export const OWNED_FILES = 10_000;

/** Lines that a guest may write in a burst: as many as are kept of one run. */
export const OUTPUT_BURST_LINES = 10_000;

/** Kept of the output of one run, at /runs/{id}/logs. */
export const OUTPUT_RUN_LINES = 10_000;
export const OUTPUT_RUN_BYTES = MIB;

/** Each is a line of the log, which costs time and space. */
export const OUTPUT_LINES_PER_SECOND = 1_000;

export const OUTPUT_TEXT_PER_SECOND = MIB;

/** Scanning dropped output for signs of life takes a tenth of a processor at this rate. */
export const OUTPUT_READ_PER_SECOND = 8 * MIB;

const where = 'host';

/** The rows of docs/limits.md. */
export const intakeLimitRows = {
  installedBytes: constant(INSTALLED_BYTES, {
    what: 'what an installation of packages in a sandbox may write',
    unit: 'bytes',
    where: 'host, looked at every few seconds',
    outcome: 'it is ended, and the start fails: `guest_unavailable`',
  }),
  ownedFiles: constant(OWNED_FILES, {
    what: "files, of 16 MiB each, whose content tells whether packages of a folder's own sources are still right",
    unit: 'files',
    where,
    outcome: 'of the others their size and time count',
  }),
  outputRunLines: constant(OUTPUT_RUN_LINES, {
    what: 'lines of a run that are kept for /runs/{id}/logs',
    unit: 'rows',
    where,
    outcome: 'the oldest are forgotten',
  }),
  outputRunBytes: constant(OUTPUT_RUN_BYTES, {
    what: 'about what they take',
    unit: 'bytes',
    where,
    outcome: 'the oldest are forgotten',
  }),
  outputBurst: constant(OUTPUT_BURST_LINES, {
    what: 'lines that a guest may write at once',
    unit: 'rows',
    where,
    outcome: 'the next row counts',
  }),
  outputLines: constant(OUTPUT_LINES_PER_SECOND, {
    what: 'lines that a guest may write in each second beyond them',
    unit: 'rows',
    where,
    outcome:
      'the others are dropped: neither in the log nor at /runs/{id}/logs; one log line in 10 s has their number, `service_guest_output_dropped_bytes_total`',
  }),
  outputText: constant(OUTPUT_TEXT_PER_SECOND, {
    what: 'text that a guest may write in a second, four times as much at once',
    unit: 'bytes',
    where,
    outcome: 'the same',
  }),
  outputRead: constant(OUTPUT_READ_PER_SECOND, {
    what: 'bytes that are read in a second of what a guest writes',
    unit: 'bytes',
    where,
    outcome: 'its writes wait',
  }),
} satisfies Record<string, LimitRow>;

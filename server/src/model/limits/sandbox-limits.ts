import { constant, type LimitRow } from './limit-row.ts';

const MIB = 1024 * 1024;

/** `guest.isolation`: guests of one language that serve one run, or one thread. */
export const OWN_GUESTS = 4;
/** The guest of a thread is kept for a run that follows at once, as in a conversation. */
export const THREAD_IDLE_MS = 60_000;
/** A guest needs one; a lost connection and its replacement may overlap. */
export const HOST_CONNECTIONS = 16;
/** A guest in a sandbox keeps two open for the calls of its host, which needs one. */
export const DIALLED_CONNECTIONS = 4;
/** Semaphores and shared arrays of Python's multiprocessing are files of /dev/shm; this is Docker's default. */
export const SHARED_MEMORY_BYTES = 64 * MIB;

/** For a file that an agent folder names and the service itself reads: lock files of large projects have some MiB. */
export const NAMED_FILE_BYTES = 16 * MIB;

/** The limits of a guest in a sandbox, unless a setting overrides them. */
export const SANDBOX_DEFAULTS = {
  /** Some hundred threads of a busy guest, and programs beside it; stops a fork bomb. */
  pids: 1_024,
  /** Below the hard limit of daemons that are started by hand; more than guests need, and quickly closed one by one. */
  openFiles: 16_384,
  /** In memory, and counted as such. */
  tmpBytes: 512 * MIB,
} as const;

export const sandboxLimitRows = {
  guestMemory: {
    what: 'memory of a guest in a sandbox, its `/tmp` and `/dev/shm` included; by default what the machine has',
    formula: '`guest.memory_limit`',
    value: () => Infinity,
    unit: 'bytes',
    where: 'kernel',
    outcome: 'the guest is killed: CRASH, `ran out of memory (limit …)`',
  },
  guestPids: {
    what: 'processes and threads of a guest in a sandbox',
    formula: '`guest.pids_limit`',
    value: () => SANDBOX_DEFAULTS.pids,
    unit: 'threads',
    where: 'kernel',
    outcome: 'no more can be started: EAGAIN in the agent',
  },
  guestOpenFiles: {
    what: 'open files and sockets of one process in a sandbox',
    formula: '`guest.open_files_limit`',
    value: () => SANDBOX_DEFAULTS.openFiles,
    unit: 'files',
    where: 'kernel',
    outcome: 'no more can be opened: EMFILE in the agent',
  },
  guestTmp: {
    what: '`/tmp` of a guest in a sandbox',
    formula: '`guest.tmp_size`',
    value: () => SANDBOX_DEFAULTS.tmpBytes,
    unit: 'bytes',
    where: 'kernel',
    outcome: 'nothing more can be written: ENOSPC in the agent',
  },
  guestSharedMemory: constant(SHARED_MEMORY_BYTES, {
    what: '`/dev/shm` of a guest in a sandbox',
    unit: 'bytes',
    where: 'kernel',
    outcome: 'nothing more can be written: ENOSPC in the agent',
  }),
  namedFile: constant(NAMED_FILE_BYTES, {
    what: 'a file that an agent folder names and the service reads for a sandbox (`env`, `.env`, requirements, locks)',
    unit: 'bytes',
    where: 'host',
    outcome: 'it counts as one that cannot be read; so does what is no regular file',
  }),
  ownGuests: constant(OWN_GUESTS, {
    what: 'guests of one language that a run or a thread has for itself (`guest.isolation`, and after a crash)',
    unit: 'guests',
    where: 'host',
    outcome: 'the run waits; the idle guest of a thread, the oldest first, ends for it',
  }),
  hostConnections: constant(HOST_CONNECTIONS, {
    what: 'connections of one guest to the service at once',
    unit: 'connections',
    where: 'host',
    outcome: 'the next one is closed',
  }),
  dialledConnections: constant(DIALLED_CONNECTIONS, {
    what: 'likewise those of a guest in a sandbox for the calls of the service to it',
    unit: 'connections',
    where: 'host',
    outcome: 'the next one is closed',
  }),
  threadIdle: {
    what: 'time that the guest of a thread waits for its next run, with `guest.isolation: thread`',
    formula: '`guest.thread_idle`',
    value: () => THREAD_IDLE_MS,
    unit: 'ms',
    where: 'host',
    outcome: 'the guest ends, and the next run starts one',
  },
} satisfies Record<string, LimitRow>;

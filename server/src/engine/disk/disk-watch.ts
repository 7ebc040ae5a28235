import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../errors/service-error.ts';
import {
  GIVE_UP_RESERVE_BELOW_BYTES,
  MIN_FREE_DISK_BYTES,
} from '../../model/limits/disk-limits.ts';
import { type Disk, noSpaceInTime } from './disk-port.ts';
import { type DiskReserve, openDiskReserve } from './disk-reserve.ts';
import { bytesToResume, type DiskState, diskState } from './disk-state.ts';
import { withReadTimeout, freeBytesOf } from './free-bytes.ts';
import { ProofPace } from './proof-pace.ts';

/** A check costs one system call. */
const CHECK_MS = 1_000;
const CHECK_WHILE_LOW_MS = 200;

/** When a file system does not report its free bytes in this time, its state is left unchanged. */
const CHECK_LIMIT_MS = 2_000;

/** How long a health check waits for a file system that does not respond. */
const HEALTH_CHECK_MS = 1_000;

const MIB = 1_024 * 1_024;

type Log = (fields: object, message: string) => void;

/** What is watched, and what is notified. */
export interface DiskWatchParts {
  folder: string;
  /** Logs every change, once. */
  logger: { error: Log; warn: Log; debug: Log };
  /** Counts requests that were refused. */
  refusals?: { inc(labels: { operation: string }): void };
  /** Default: reads the free bytes of the folder's file system. */
  readFreeBytes?: () => Promise<number>;
  /** The timeout of that read. */
  checkLimitMs?: number;
  /** Default: a file in the folder. */
  reserve?: DiskReserve;
  /** Monotonic milliseconds. */
  now?: () => number;
}

/** Watches the disk of the data directory and decides whether writes are admitted. */
export class DiskWatch implements Disk {
  readonly #parts: DiskWatchParts;
  readonly #reserve: DiskReserve;
  readonly #readFreeBytes: () => Promise<number>;
  readonly #waiting = new Set<() => void>();
  readonly #abandoned = new AbortController();
  readonly #pace: ProofPace;
  readonly #checkLimitMs: number;
  #state: DiskState = 'ample';
  #freeBytes: number | undefined;
  /** A write failed, whatever the file system reports as free: a quota shows in no other way. */
  #isRefused = false;
  #checking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: DiskWatchParts) {
    this.#parts = parts;
    this.#reserve = parts.reserve ?? openDiskReserve(parts.folder);
    const read = parts.readFreeBytes ?? (() => freeBytesOf(parts.folder));
    this.#checkLimitMs = parts.checkLimitMs ?? CHECK_LIMIT_MS;
    this.#readFreeBytes = withReadTimeout(this.#checkLimitMs, read);
    this.#pace = new ProofPace(parts.now ?? (() => performance.now()));
  }

  /**
   * Checks the disk, then repeatedly until it is closed. Waits for a disk that does not respond no longer than the
   * limit; rejects when the signal aborts.
   */
  async start(signal?: AbortSignal): Promise<void> {
    const first = this.#keepChecking();
    const limit = pause(this.#checkLimitMs, undefined, { ref: false, ...(signal && { signal }) });
    await Promise.race([first, limit.catch(() => undefined)]);
    signal?.throwIfAborted();
  }

  async #keepChecking(): Promise<void> {
    await this.check();
    if (this.#isClosed) return;
    const wait = this.#state === 'low' ? CHECK_WHILE_LOW_MS : CHECK_MS;
    this.#timer = setTimeout(() => void this.#keepChecking(), wait).unref();
  }

  /** Checks now. Never rejects: when the free bytes cannot be read, nothing changes. */
  async check(): Promise<void> {
    this.#checking ??= this.#checkOnce()
      .catch((error: unknown) => this.#parts.logger.debug({ err: error }, 'disk not checked'))
      .finally(() => (this.#checking = undefined));
    await this.#checking;
  }

  /** The engine could not write. It gets the reserve; other free space is not tested now. */
  reportFull(): void {
    this.#isRefused = true;
    this.#pace.holdOff();
    this.#become('full');
    void this.check();
  }

  async admit<T>(operation: string, work: () => Promise<T>): Promise<T> {
    if (this.#state !== 'full') return work();
    this.#parts.refusals?.inc({ operation });
    const message = `${this.#shortage()} Nothing is written until there is free space again; reading and deleting work.`;
    const needed = bytesToResume(this.#reserve.bytes());
    const details = { free_bytes: this.#freeBytes, needed_bytes: needed };
    throw new ServiceError('storage_full', message, { details });
  }

  async untilSpace({ patienceMs }: { patienceMs?: number } = {}): Promise<void> {
    if (this.#abandoned.signal.aborted) throw noSpaceInTime();
    if (this.#state !== 'full') return;
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        settle();
        reject(noSpaceInTime());
      };
      const resume = (): void => {
        settle();
        resolve();
      };
      const limit = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs).unref();
      const settle = (): void => {
        clearTimeout(limit);
        this.#waiting.delete(resume);
        this.#abandoned.signal.removeEventListener('abort', giveUp);
      };
      this.#waiting.add(resume);
      this.#abandoned.signal.addEventListener('abort', giveUp);
    });
  }

  async trouble(): Promise<string | undefined> {
    await Promise.race([this.check(), pause(HEALTH_CHECK_MS, undefined, { ref: false })]);
    if (this.#state !== 'full') return undefined;
    return `${this.#shortage()} Free space on the disk of ${this.#parts.folder}. Reading and deleting work, runs wait.`;
  }

  isFull(): boolean {
    return this.#state === 'full';
  }

  freeBytes(): number | undefined {
    return this.#freeBytes;
  }

  abandon(): void {
    this.#abandoned.abort();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.abandon();
  }

  async #checkOnce(): Promise<void> {
    const freeBytes = await this.#readFreeBytes();
    this.#freeBytes = freeBytes;
    const state = diskState({ freeBytes, reserveBytes: this.#reserve.bytes() }, this.#state);
    const needsSpace = this.#isRefused || freeBytes < GIVE_UP_RESERVE_BELOW_BYTES;
    if (needsSpace && this.#reserve.bytes() > 0) {
      this.#become('full');
      await this.#reserve.giveUp();
      return;
    }
    const needsReserve = state === 'low' || this.#state === 'full';
    const hasSpace = state !== 'full' && (!needsReserve || (await this.#takeReserve()));
    this.#become(hasSpace ? state : 'full');
  }

  /** Setting the reserve aside also proves that writes succeed again. */
  async #takeReserve(): Promise<boolean> {
    if (this.#isRefused && !this.#pace.isDue()) return false;
    const proof = this.#isRefused ? { beyondBytes: MIN_FREE_DISK_BYTES } : {};
    const isTaken = await this.#reserve.take(proof);
    this.#isRefused = !isTaken;
    if (isTaken) this.#pace.succeeded();
    else this.#pace.failed();
    return isTaken;
  }

  #become(state: DiskState): void {
    if (state === this.#state) return;
    const before = this.#state;
    this.#state = state;
    const { logger, folder } = this.#parts;
    const fields = { folder, free_bytes: this.#freeBytes };
    if (state === 'full') logger.error(fields, 'disk full, writes are refused');
    else if (before === 'full') logger.warn(fields, 'disk has free space again');
    else if (state === 'low') logger.warn(fields, 'disk is getting full');
    if (state !== 'full') for (const resume of this.#waiting) resume();
  }

  #shortage(): string {
    const free = this.#freeBytes ?? 0;
    const needed = bytesToResume(this.#reserve.bytes());
    if (free >= needed) {
      return 'The data directory takes no more writes: the disk is full, or a quota is used up.';
    }
    const [has, needs] = [free, needed].map((bytes) => Math.floor(bytes / MIB));
    return `The disk of the data directory is full: ${has} MiB are free, ${needs} MiB are needed to continue.`;
  }
}

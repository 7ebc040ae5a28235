/*
 * Which policy is asked (`open-policies.ts`). Services ask a `PolicyPort` (`policy/port.ts`): the built-in domain, the
 * policy files, or the files and the manifest's handlers together (`policy/built-in-policies.ts`). Circumstances of a request are
 * kept in an async context (`asking-request.ts`), so that services need not pass them; the HTTP side and the agents'
 * store set them.
 *
 * Reloading (`domain/live-domains.ts`). One complete version decides at any time. The next one is read, linked and
 * compiled beside it, which needs a second set of threads for that time, and takes over only without a finding; the
 * previous one is closed when its last decision has ended. Files are compared by their times, sizes and inodes,
 * following links: mounted configurations are swapped by renaming, which watching a file does not show.
 *
 * The location of the files (`find-evaluator.ts`): the server package has them in `policy/`, with the licences of
 * everything that is linked; a checkout builds them into `.cache/native` when the sources have changed. Nothing of this
 * is loaded or built before the first program is opened.
 */
import type { OpenRegoEvaluator, RegoEvaluator } from '../rego/port.ts';
import type { Decision } from './decision.ts';
import { DomainPolicy } from './domain-policy.ts';
import { areSame, stampingReader, stampsNow, type FileStamps } from './file-stamps.ts';
import { openDomains } from './load-domains.ts';
import { readPolicyFile } from './policy-files.ts';
import type { ReadPolicyFile } from './rego-source.ts';

/** Facts about an active domain. */
export interface DomainOverview {
  name: string;
  file: string;
  /** Number of its policies. */
  policies: number;
}

/** Reports the result of each reload. */
export interface ReloadEvents {
  onReloaded(): void;
  /** The previous version stays active. The error is PolicyFindings, or the reason why nothing could be read. */
  onRefused(error: unknown): void;
}

/** One version of the policies. */
interface Version {
  policy: DomainPolicy;
  evaluator: RegoEvaluator;
  overview: readonly DomainOverview[];
  loadedAt: Date;
  /** Number of its active decisions. */
  underWay: number;
}

export interface LiveDomainsOptions {
  /** Each is a domain. */
  files: readonly string[];
  open: OpenRegoEvaluator;
  events: ReloadEvents;
  readFile?: ReadPolicyFile;
}

/**
 * Policy domains that are reloaded while in use. One complete version decides at any time: a new one takes over when it
 * has no findings, and decisions that began with the previous one end with it.
 */
export class LiveDomains {
  readonly #options: LiveDomainsOptions;
  /** The files of the version that was read last, valid or not. */
  #read: FileStamps = new Map();
  /** Their stamps at the last check. */
  #seen: FileStamps = new Map();
  #version: Version;
  #reloading: Promise<void> | undefined;
  #isReloadWanted = false;
  #isClosed = false;

  private constructor(options: LiveDomainsOptions, version: Version, read: FileStamps) {
    this.#options = options;
    this.#version = version;
    this.#read = read;
  }

  /** Rejects with PolicyFindings, which contains all errors. */
  static async open(options: LiveDomainsOptions): Promise<LiveDomains> {
    const { stamps, readFile } = stampingReader(options.readFile ?? readPolicyFile);
    return new LiveDomains(options, await readVersion({ ...options, readFile }), stamps);
  }

  /** The active domains, in the order of their files, and when they were loaded. */
  get overview(): { domains: readonly DomainOverview[]; loadedAt: Date } {
    const { overview: domains, loadedAt } = this.#version;
    return { domains, loadedAt };
  }

  /** Decides about a PORC with the current version. Never rejects: an error is a denial. */
  async decide(porc: unknown): Promise<Decision> {
    const version = this.#version;
    version.underWay += 1;
    try {
      return await version.policy.decide(porc);
    } finally {
      version.underWay -= 1;
      this.#letGo(version);
    }
  }

  /** Reads the files again. Resolves when their current content has been read, valid or not. */
  reload(): Promise<void> {
    this.#isReloadWanted = true;
    this.#reloading ??= this.#reloadAsWanted().finally(() => (this.#reloading = undefined));
    return this.#reloading;
  }

  /**
   * Reads the files again if they have changed since they were read, but not since the last check, so that no
   * half-written file is read.
   */
  async look(): Promise<void> {
    if (this.#reloading) return;
    const now = await stampsNow(this.#read.keys());
    const isSettled = areSame(now, this.#seen);
    this.#seen = now;
    if (isSettled && !areSame(now, this.#read)) await this.reload();
  }

  /** Active decisions become denials. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#version.evaluator.close();
  }

  async #reloadAsWanted(): Promise<void> {
    while (this.#isReloadWanted && !this.#isClosed) {
      this.#isReloadWanted = false;
      await this.#reloadOnce();
    }
  }

  async #reloadOnce(): Promise<void> {
    const { events, readFile: read = readPolicyFile } = this.#options;
    const { stamps, readFile } = stampingReader(read);
    let version: Version;
    try {
      version = await readVersion({ ...this.#options, readFile });
    } catch (error) {
      if (!this.#isClosed) events.onRefused(error);
      return;
    } finally {
      this.#read = stamps;
    }
    if (this.#isClosed) return version.evaluator.close();
    const before = this.#version;
    this.#version = version;
    events.onReloaded();
    this.#letGo(before);
  }

  #letGo(version: Version): void {
    if (version === this.#version || version.underWay > 0) return;
    // No caller waits for threads to end, and an error in closing them is of no use.
    version.evaluator.close().catch(() => undefined);
  }
}

async function readVersion({
  files,
  open,
  readFile = readPolicyFile,
}: Pick<LiveDomainsOptions, 'files' | 'open' | 'readFile'>): Promise<Version> {
  const { set, evaluator } = await openDomains(files, open, readFile);
  const { domains, policies } = set;
  // Without findings every file is a domain.
  const overview = domains.map(({ name }, index) => ({
    name,
    file: files[index] ?? '',
    policies: policies.filter(({ domain }) => domain === name).length,
  }));
  const policy = new DomainPolicy(set, evaluator);
  return { policy, evaluator, overview, loadedAt: new Date(), underWay: 0 };
}

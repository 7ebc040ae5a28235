/*
 * Sandboxes (`guest/sandbox/port.ts`; [docs/sandboxes.md](docs/sandboxes.md)). One port starts a program and gives
 * something like a process: `no-sandbox.ts`, `docker/`, `gvisor/`. Pool, lanes, savers and channel know no other. The
 * channel stays a pair of unix sockets in the guest's private folder, which is mounted, so a guest needs no network.
 * In a sandbox the folder is read-only, so the host makes both sockets: for its own calls it takes connections that
 * the guest has opened to it (`dialled-connections.ts`). A folder that the guest may write to would be a way to fill
 * the disk that only root can bound, and a socket that it has made a name that may lead elsewhere. `host-listener.ts`
 * bounds a guest's connections.
 */
import type { Readable, Writable } from 'node:stream';

import type { GuestAllowance } from '../../model/run/run.ts';
import type { GuestDirectory, GuestPlaces } from '../process/guest-directory.ts';
import type { GuestProgram } from '../pool/guest-program.ts';
import type { ImageEntry } from './image-folder.ts';

export const sandboxKinds = ['docker', 'gvisor', 'none'] as const;

/** The specification, flags of `serve`: `--sandbox`. */
export type SandboxKind = (typeof sandboxKinds)[number];

/** What keeps agent code from what is not its own. */
export interface Sandbox {
  readonly kind: SandboxKind;
  /** What each guest may use, as far as it holds here. Absent: whatever there is. */
  readonly limits?: SandboxLimits;
  /** Where a guest within finds the things of its private folder. */
  placesOf(directory: GuestDirectory): GuestPlaces;
  /**
   * Starts a guest's program, its config.json is written. Rejects with `guest_unavailable` and one sentence that says
   * what a person can do, when the sandbox itself can't be had; a program that does not come up ends.
   */
  start(spec: SandboxSpec, signal: AbortSignal): Promise<SandboxedProcess>;
  /** Removes what services that were killed have left. Never rejects, and never touches what belongs to one that lives. */
  removeAbandoned(): Promise<void>;
  /** Lets go of what it holds besides its guests, all of which have ended. */
  close(): Promise<void>;
}

export type SandboxLimits = GuestAllowance;

/** An image that programs can be run in. */
export interface SandboxImage {
  /** As `SandboxedProgram.image` takes it. */
  readonly name: string;
  /** Another one for other content, for example a digest. */
  readonly id: string;
  /** For example `linux/amd64`. */
  readonly platform: string;
  /** Its own variables, PATH among them. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A sandbox whose guests have the file system of an image. */
export interface ImageSandbox extends Sandbox {
  readonly kind: 'docker' | 'gvisor';
  /** What of its limits does not hold here, in one sentence for the start of the service. */
  readonly notice?: string;
  /** Resolves when the image is there; it is pulled if need be. Rejects with `guest_unavailable` and one sentence. */
  image(reference: string, options: ImageOptions): Promise<SandboxImage>;
  /**
   * What is in a folder of an image that was asked for, without running anything of it; nothing where it has no such
   * folder. Rejects with `guest_unavailable` and one sentence.
   */
  entries(image: SandboxImage, folder: string, signal: AbortSignal): AsyncIterable<ImageEntry>;
}

export interface ImageOptions {
  /** What a pull says, line by line. */
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface SandboxSpec {
  readonly program: GuestProgram;
  readonly directory: GuestDirectory;
}

/** A guest's process as its host has it, wherever it runs. */
export interface SandboxedProcess {
  /** Its id on this machine; 0 when it could not be started. */
  readonly pid: number;
  /** Stays open for as long as the host lives: its end tells the guest that the host is gone, also after kill -9. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** True when the sandbox lost it, and nobody can say how it ended: that is no crash of the agent's. */
  readonly wasLost?: boolean;
  /** True as soon as the process is gone, also while its last words come in. */
  readonly hasExited: boolean;
  /** Resolves when the process is gone with how that was, as `exited with code 1`. */
  readonly gone: Promise<string>;
  /** Resolves when all that it wrote has been read; later than `gone`, or never where others hold its output open. */
  readonly drained: Promise<void>;
  /** Asks it to end, and ends it after so long. Resolves when nothing is left, neither of it nor of what it has started. */
  stop(graceMs: number): Promise<void>;
  /** Ends it at once. */
  kill(): Promise<void>;
}

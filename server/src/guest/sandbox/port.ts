/*
 * Sandboxes (`guest/sandbox/port.ts`; [docs/sandboxes.md](docs/sandboxes.md)). One port starts a program and returns a
 * process-like object: `no-sandbox.ts`, `docker/`, `gvisor/`. Pool, lanes, savers and channel use only this port. The
 * channel is always a pair of unix sockets in the guest's private folder, which is mounted, so a guest needs no
 * network. In a sandbox the folder is read-only, so the host creates both sockets: for its own calls it uses
 * connections that the guest has opened to it (`dialled-connections.ts`). Through a writable folder a guest could fill
 * the disk, which only root can bound, and replace its socket by a link to another path. `bounded-listener.ts` bounds a
 * guest's connections.
 */
import type { Readable, Writable } from 'node:stream';

import type { GuestAllowance } from '../../model/run/run.ts';
import type { GuestDirectory, GuestPaths } from '../process/guest-directory.ts';
import type { GuestProgram } from '../pool/guest-program.ts';
import type { ImageEntry } from './image-folder.ts';

export const sandboxKinds = ['docker', 'gvisor', 'none'] as const;

/** The specification, flags of `serve`: `--sandbox`. */
export type SandboxKind = (typeof sandboxKinds)[number];

/** Isolates agent code from this machine. */
export interface Sandbox {
  readonly kind: SandboxKind;
  /** The limits of each guest that take effect here. Absent: none. */
  readonly limits?: SandboxLimits;
  /** The paths of the private folder as the guest sees them. */
  pathsOf(directory: GuestDirectory): GuestPaths;
  /**
   * Starts a guest's program, whose config.json has been written. Rejects with `guest_unavailable` and one sentence
   * with a remedy when the sandbox itself is unavailable; a program that fails to start ends as a process.
   */
  start(spec: SandboxSpec, signal: AbortSignal): Promise<SandboxedProcess>;
  /** Removes leftovers of killed services. Never rejects, and never touches those of a running one. */
  removeAbandoned(): Promise<void>;
  /** Releases the resources of the sandbox itself; all of its guests have ended. */
  close(): Promise<void>;
}

export type SandboxLimits = GuestAllowance;

/** An image that programs can be run in. */
export interface SandboxImage {
  /** The value for `SandboxedProgram.image`. */
  readonly name: string;
  /** Identifies the content, for example a digest. */
  readonly id: string;
  /** For example `linux/amd64`. */
  readonly platform: string;
  /** Its own variables, including PATH. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A sandbox whose guests have the file system of an image. */
export interface ImageSandbox extends Sandbox {
  readonly kind: 'docker' | 'gvisor';
  /** The limits that have no effect here, in one sentence for the start of the service. */
  readonly notice?: string;
  /** Resolves when the image is available; pulls it if needed. Rejects with `guest_unavailable` and one sentence. */
  image(reference: string, options: ImageOptions): Promise<SandboxImage>;
  /**
   * The entries of a folder of an image that `image` returned, without running the image; none if it has no such
   * folder. Rejects with `guest_unavailable` and one sentence.
   */
  entries(image: SandboxImage, folder: string, signal: AbortSignal): AsyncIterable<ImageEntry>;
}

export interface ImageOptions {
  /** Receives the progress of a pull, line by line. */
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface SandboxSpec {
  readonly program: GuestProgram;
  readonly directory: GuestDirectory;
}

/** A guest's process as its host sees it, in any sandbox. */
export interface SandboxedProcess {
  /** Its id on this machine; 0 when it could not be started. */
  readonly pid: number;
  /** Stays open until the host exits: by its end the guest detects the host's exit, also after kill -9. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** True when the sandbox lost it and its exit is unknown, which is not a crash of the agent. */
  readonly wasLost?: boolean;
  /** True as soon as the process has exited, also while its last output arrives. */
  readonly hasExited: boolean;
  /** Resolves when the process has exited, with a phrase such as `exited with code 1`. */
  readonly gone: Promise<string>;
  /** Resolves when all its output has been read; later than `gone`, or never if other processes hold it open. */
  readonly drained: Promise<void>;
  /** Asks it to end, and kills it after `graceMs`. Resolves when it and all processes that it started have ended. */
  stop(graceMs: number): Promise<void>;
  /** Kills it immediately. */
  kill(): Promise<void>;
}

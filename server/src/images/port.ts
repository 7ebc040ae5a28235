/*
 * Container images without a daemon: a Go program pulls, unpacks and makes them; this room runs it.
 */
/** The trust in the certificates of registries. */
export interface RegistryTrust {
  /** A PEM file with additional authorities besides those of this machine. */
  readonly caFile?: string;
  /** The same as base64 of PEM. */
  readonly caData?: string;
  /** Certificates are not checked, and plain HTTP is used where there is no TLS. */
  readonly isInsecure: boolean;
}

/** The program and its image folder; several processes may use one folder. */
export interface ImageTool {
  readonly program: string;
  readonly cacheFolder: string;
}

/** The progress of a step: in bytes, except for `pack`, which counts layers. */
export interface ImageProgress {
  readonly step: 'download' | 'unpack' | 'pack' | 'write' | 'push';
  readonly done: number;
  readonly total: number;
}

/** Limits and progress callback of one run of the program. */
export interface ImageRun {
  readonly signal: AbortSignal;
  /** Milliseconds; default IMAGE_RUN_MS. */
  readonly limitMs?: number;
  readonly onProgress?: (progress: ImageProgress) => void;
}

/** The requested image. */
export interface PullRequest {
  readonly reference: string;
  readonly trust: RegistryTrust;
  /** As `linux/amd64`. Default: Linux on this machine's processor. */
  readonly platform?: string;
  /** `missing` does not contact a registry for an image in the cache. Default: `missing`. */
  readonly policy?: 'missing' | 'always';
}

/** An image that is complete in the cache. */
export interface PulledImage {
  /** With registry and tag. */
  readonly reference: string;
  /** Of the manifest of the platform's image. */
  readonly digest: string;
  /** Compressed size of the layers in bytes; 0 when the cache had them. */
  readonly size: number;
  readonly isCached: boolean;
}

/** The requested root tree. */
export interface UnpackRequest {
  /** A reference that was pulled or made, or the digest of its manifest. */
  readonly image: string;
  /** The folder to create; it exists completely or not at all. */
  readonly folder: string;
  readonly platform?: string;
  /** An existing folder is reused unchanged: for names that contain the digest. */
  readonly isReused?: boolean;
  /** Files get the owners from the layers, which requires root. Otherwise all belong to this user. */
  readonly keepsOwners?: boolean;
}

/** The configuration with which an image is run. */
export interface ImageConfig {
  readonly env: readonly string[];
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly workingDir: string;
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A root tree. Its links must not be followed from outside: they are relative to the tree. */
export interface UnpackedImage {
  readonly digest: string;
  readonly folder: string;
  readonly config: ImageConfig;
  readonly isReused: boolean;
  /** What was left out, by its kind: `devices`, `pipes`, `setuid`, `metadata`. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** The content of a new image. */
export interface PackRequest {
  /** A reference in the cache, or a root tree as an absolute path; absent: an empty base. */
  readonly base?: string;
  /** Folders and their paths in the image, lowest first. */
  readonly layers: readonly { readonly folder: string; readonly target: string }[];
  readonly env?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly workingDir?: string;
  readonly user?: string;
  readonly tag: string;
  readonly platform?: string;
  /**
   * An additional output besides the cache: an archive for `docker load`, an OCI layout, or the registry of the tag.
   */
  readonly output?:
    | { readonly kind: 'docker-tar' | 'oci-dir'; readonly path: string }
    | { readonly kind: 'push'; readonly trust: RegistryTrust };
}

/** The image that was made; the cache contains it too. */
export interface PackedImage {
  readonly reference: string;
  readonly digest: string;
}

/** Which certificates of a registry are believed. */
export interface RegistryTrust {
  /** A PEM file with authorities beside those of this machine. */
  readonly caFile?: string;
  /** The same as base64 of PEM. */
  readonly caData?: string;
  /** No certificate is checked, and plain HTTP is spoken where there is no TLS. */
  readonly isInsecure: boolean;
}

/** The program and the folder that it keeps images in; several processes may use one folder. */
export interface ImageTool {
  readonly program: string;
  readonly cacheFolder: string;
}

/** How far a step is: bytes, but for `pack`, which counts layers. */
export interface ImageProgress {
  readonly step: 'download' | 'unpack' | 'pack' | 'write' | 'push';
  readonly done: number;
  readonly total: number;
}

/** How a run of the program is bounded and watched. */
export interface ImageRun {
  readonly signal: AbortSignal;
  /** Milliseconds; default IMAGE_RUN_MS. */
  readonly limitMs?: number;
  readonly onProgress?: (progress: ImageProgress) => void;
}

/** Which image is wanted. */
export interface PullRequest {
  readonly reference: string;
  readonly trust: RegistryTrust;
  /** As `linux/amd64`. Default: Linux on this machine's processor. */
  readonly platform?: string;
  /** `missing` asks no registry about an image that is in the cache. Default: `missing`. */
  readonly policy?: 'missing' | 'always';
}

/** An image that is in the cache, whole. */
export interface PulledImage {
  /** With registry and tag. */
  readonly reference: string;
  /** Of the manifest of the platform's image. */
  readonly digest: string;
  /** Bytes that the layers have as they are transferred; 0 when the cache had them. */
  readonly size: number;
  readonly isCached: boolean;
}

/** Which root tree is wanted. */
export interface UnpackRequest {
  /** A reference that was pulled or made, or the digest of its manifest. */
  readonly image: string;
  /** The folder to be made; it is there whole or not at all. */
  readonly folder: string;
  readonly platform?: string;
  /** A folder that is there is taken as it is: for names that have the digest in them. */
  readonly isReused?: boolean;
  /** Files get the owners that the layers name, which only root may. Otherwise all belong to this user. */
  readonly keepsOwners?: boolean;
}

/** What an image says about how it is run. */
export interface ImageConfig {
  readonly env: readonly string[];
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly workingDir: string;
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A root tree. No file of it is to be followed from outside: its links mean something to a process within. */
export interface UnpackedImage {
  readonly digest: string;
  readonly folder: string;
  readonly config: ImageConfig;
  readonly isReused: boolean;
  /** What was left away, by its kind: `devices`, `pipes`, `setuid`, `metadata`. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** What an image is made of. */
export interface PackRequest {
  /** A reference in the cache, or a root tree as an absolute path; absent: nothing. */
  readonly base?: string;
  /** Folders and where they are in the image, lowest first. */
  readonly layers: readonly { readonly folder: string; readonly target: string }[];
  readonly env?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly workingDir?: string;
  readonly user?: string;
  readonly tag: string;
  readonly platform?: string;
  /** Beside the cache: an archive for `docker load`, an OCI layout, or the registry of the tag. */
  readonly output?:
    | { readonly kind: 'docker-tar' | 'oci-dir'; readonly path: string }
    | { readonly kind: 'push'; readonly trust: RegistryTrust };
}

/** An image that was made; it is in the cache too. */
export interface PackedImage {
  readonly reference: string;
  readonly digest: string;
}

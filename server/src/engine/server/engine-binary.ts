/** The server version of the embedded engine and of the pinned CLI: both write the same database schema. */
export const serverVersion = '1.32.0';

/** A program that can serve the engine. `embedded` is ours, `cli` is Temporal's own with the same flags. */
export interface EngineBinary {
  readonly kind: 'embedded' | 'cli';
  readonly path: string;
}

/** Where a binary came from, in the order in which they are tried. */
export type EngineSource = 'configured' | 'packaged' | 'built' | 'path' | 'download' | 'build';

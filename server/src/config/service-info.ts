import type { ServiceConfig } from './service-config.ts';

/**
 * What GET /info tells everybody, for it asks for no credentials; paths only where the caller is on this machine, and
 * nowhere how the engine is reached.
 */
export function serviceInfo(
  config: ServiceConfig,
  running: {
    readonly isLoopback: boolean;
    readonly url: string;
    /** The agent folder's own `auth` says who calls. */
    readonly hasManifestAuth: boolean;
    /** What has no effect in the manifest, in sentences. */
    readonly manifestWarnings: readonly string[];
  },
): Record<string, unknown> {
  const { api, engine, guest, store } = config;
  return {
    flags: {
      auth: running.hasManifestAuth ? 'manifest' : (api.auth?.kind ?? 'off'),
      test_mode: api.auth?.kind === 'test',
      store: store?.provider ?? 'off',
      sandbox: guest.sandbox,
      reload: guest.reload,
      max_checkpoint_history: engine.maxCheckpointHistory,
      max_checkpoint_bytes: engine.maxCheckpointBytes,
      external_storage: engine.externalStorage !== undefined,
    },
    ...(running.isLoopback && {
      url: running.url,
      // Of agents in an image the folder is a copy of ours, which says nothing to anybody.
      folder: guest.images?.image ?? config.sourceDir,
      manifest_warnings: running.manifestWarnings,
      engine: { namespace: engine.namespace },
    }),
  };
}

import type { ServiceConfig } from './service-config.ts';

/**
 * The response of GET /info, which requires no credentials; it has paths only for callers on this machine, and never
 * the engine's address.
 */
export function serviceInfo(
  config: ServiceConfig,
  running: {
    readonly isLoopback: boolean;
    readonly url: string;
    /** The agent folder's own `auth` authenticates callers. */
    readonly hasManifestAuth: boolean;
    /** Sentences about ignored parts of the manifest. */
    readonly manifestWarnings: readonly string[];
    /** Packages without which agents could not be loaded, with the commands that install them. */
    readonly missingPackages: readonly object[];
  },
): Record<string, unknown> {
  const { api, engine, guest, store, history } = config;
  return {
    flags: {
      auth: running.hasManifestAuth ? 'manifest' : (api.auth?.kind ?? 'off'),
      test_mode: api.auth?.kind === 'test',
      store: store?.provider ?? 'off',
      history: history?.database.provider ?? 'off',
      sandbox: guest.sandbox,
      reload: guest.reload,
      max_checkpoint_history: engine.maxCheckpointHistory,
      max_checkpoint_bytes: engine.maxCheckpointBytes,
      external_storage: engine.externalStorage !== undefined,
    },
    ...(running.isLoopback && {
      url: running.url,
      // For agents in an image the folder is an internal copy, which means nothing to clients.
      folder: guest.images?.image ?? config.sourceDir,
      manifest_warnings: running.manifestWarnings,
      ...(running.missingPackages.length > 0 && { missing_packages: running.missingPackages }),
      engine: { namespace: engine.namespace },
    }),
  };
}

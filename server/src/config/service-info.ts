import type { ServiceConfig } from './service-config.ts';

/** What GET /info tells; addresses and paths only where the caller is on this machine. */
export function serviceInfo(
  config: ServiceConfig,
  running: { readonly isLoopback: boolean; readonly engineAddress: string; readonly url: string },
): Record<string, unknown> {
  const { api, engine, guest, store } = config;
  return {
    flags: {
      auth: api.auth?.kind ?? 'off',
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
      folder: config.sourceDir,
      engine: {
        address: running.engineAddress,
        namespace: engine.namespace,
        task_queue: engine.taskQueue,
      },
    }),
  };
}

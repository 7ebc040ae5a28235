import { createHash } from 'node:crypto';
import path from 'node:path';
import type { StartRequest } from './messages.ts';

/** The server's configuration for the desktop: on loopback, callers chosen in the window. */
export function desktopFlags(
  request: StartRequest,
  { environment, communityKey }: { environment: NodeJS.ProcessEnv; communityKey: () => string },
): ReadonlyMap<string, unknown> {
  const { folder, settings, engine, token } = request;
  const dataDir = path.join(request.dataRoot, dataName(folder));
  const { SERVICE_LICENSE_KEY, SERVICE_LICENSE_KEY_FILE } = environment;
  const hasLicense = SERVICE_LICENSE_KEY !== undefined || SERVICE_LICENSE_KEY_FILE !== undefined;
  return new Map<string, unknown>([
    ['data_dir', dataDir],
    ['api.listen_addr', `127.0.0.1:${settings.port}`],
    ['api.service_token', token],
    ['api.auth.test_mode', 'true'],
    ['guest.sandbox', settings.sandbox],
    ['guest.reload', 'true'],
    ['log.level', 'info'],
    ['log.format', 'json'],
    ['engine.max_checkpoint_history', String(settings.checkpointHistory)],
    ...entry(settings.externalStorage, 'engine.external_storage.type', 'directory'),
    ...entry(settings.store, 'store.provider', 'sqlite'),
    ...entry(
      settings.environmentFiles.length > 0,
      'guest.environment_files',
      settings.environmentFiles.join(','),
    ),
    ...entry(
      settings.interpreter !== null && settings.sandbox === 'none',
      'guest.interpreter',
      settings.interpreter,
    ),
    ...entry(engine !== undefined, 'engine.binary', engine),
    ...(hasLicense ? [] : [['license.key', communityKey()] as const]),
  ]);
}

function entry(isWanted: boolean, key: string, value: unknown): (readonly [string, unknown])[] {
  return isWanted ? [[key, value]] : [];
}

/** Readable, and different for another folder of the same name. */
function dataName(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return `${path.basename(folder).replaceAll(/[^\w.-]/g, '_')}-${hash}`;
}

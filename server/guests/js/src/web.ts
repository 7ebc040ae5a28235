import { authHandlers, type AuthHandlers } from './auth-handlers.ts';
import { fetchApp, type FetchApp } from './fetch-app.ts';
import type { GuestConfig } from './guest-config.ts';
import { describeError } from './guest-error.ts';
import { importExport } from './manifest-export.ts';
import type { SdkClients } from './sdk-clients.ts';
import type { ErrorMessage } from './wire.ts';

/** What of the manifest is about HTTP; without handlers every request is refused. */
export type Web = AuthHandlers & {
  readonly authError?: ErrorMessage;
  readonly app?: FetchApp;
  readonly appError?: ErrorMessage;
};

/** Loads it, in a guest that was started for it. */
export async function openWeb(config: GuestConfig, clients: SdkClients): Promise<Web> {
  return { ...(await openAuth(config)), ...(await openApp(config, clients)) };
}

async function openAuth(config: GuestConfig): Promise<Web> {
  const { authPath } = config;
  if (authPath === undefined) return refuseAll();
  try {
    return authHandlers(await importExport(authPath, config));
  } catch (error) {
    return refuseAll(describeError(error));
  }
}

async function openApp(
  config: GuestConfig,
  clients: SdkClients,
): Promise<Pick<Web, 'app' | 'appError'>> {
  const { appPath } = config;
  if (appPath === undefined) return {};
  try {
    return { app: fetchApp(await importExport(appPath, config), clients) };
  } catch (error) {
    return { appError: describeError(error) };
  }
}

function refuseAll(error?: ErrorMessage): Web {
  const refuse = async (): Promise<{ error?: ErrorMessage }> => (error ? { error } : {});
  return { authenticate: refuse, authorize: refuse, ...(error && { authError: error }) };
}

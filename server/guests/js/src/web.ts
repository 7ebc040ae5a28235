import { authHandlers, type AuthHandlers } from './auth-handlers.ts';
import { fetchApp, type FetchApp } from './fetch-app.ts';
import type { GuestConfig } from './guest-config.ts';
import { describeError } from './guest-error.ts';
import { importExport } from './manifest-export.ts';
import type { ErrorMessage } from './wire.ts';

/** What of the manifest is about HTTP; without handlers nobody is let in. */
export type Web = AuthHandlers & {
  readonly authError?: ErrorMessage;
  readonly app?: FetchApp;
  readonly appError?: ErrorMessage;
};

/** Loads it, in a guest that was started for it. */
export async function openWeb(config: GuestConfig): Promise<Web> {
  return { ...(await openAuth(config)), ...(await openApp(config)) };
}

async function openAuth(config: GuestConfig): Promise<Web> {
  const { authPath } = config;
  if (authPath === undefined) return nobody();
  try {
    return authHandlers(await importExport(authPath, config));
  } catch (error) {
    return nobody(describeError(error));
  }
}

async function openApp(config: GuestConfig): Promise<Pick<Web, 'app' | 'appError'>> {
  const { appPath } = config;
  if (appPath === undefined) return {};
  try {
    return { app: fetchApp(await importExport(appPath, config)) };
  } catch (error) {
    return { appError: describeError(error) };
  }
}

function nobody(error?: ErrorMessage): Web {
  const answer = async (): Promise<{ error?: ErrorMessage }> => (error ? { error } : {});
  return { authenticate: answer, authorize: answer, ...(error && { authError: error }) };
}

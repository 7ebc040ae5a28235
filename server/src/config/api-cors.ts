import { ServiceError } from '../errors/service-error.ts';

const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@A-Z]+$/;

/** The origins as browsers write them; `config_invalid` for what can never be one. */
export function allowedOrigins(origins: readonly string[]): readonly string[] {
  const wrong = origins.find((origin) => origin !== '*' && !ORIGIN.test(origin));
  if (wrong === undefined) return origins;
  throw new ServiceError(
    'config_invalid',
    `api.cors.allowed_origins takes origins such as https://app.example.org, without a path, or *, not "${wrong}".`,
  );
}

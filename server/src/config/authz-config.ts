import { ServiceError } from '../errors/service-error.ts';
import type { ServiceConfig } from './service-config.ts';
import type { SettingKey, SettingValues } from './settings/settings.ts';

/** Which policies are asked. Without files everything is permitted, so none of them may be missing by mistake. */
export function authzConfig(
  values: SettingValues,
  given: ReadonlyMap<SettingKey, string>,
): ServiceConfig['authz'] {
  const key = 'authz.embedded.policy_domain_files';
  const { [key]: files } = values;
  const name = given.get(key);
  if (name !== undefined && files.length === 0) {
    const message = `${name} names no file: name one, or leave it out.`;
    throw new ServiceError('config_invalid', message);
  }
  const isEverythingAllowed = values['authz.type'] === 'allowall';
  return { isEverythingAllowed, policyFiles: isEverythingAllowed ? [] : files };
}

import type { PolicyPort } from './port.ts';

/** The built-in domain that stands when no policy files are given: everything is permitted. */
export function createPermissiveDomain(): PolicyPort {
  return { permitsEverything: true, isPermitted: () => true };
}

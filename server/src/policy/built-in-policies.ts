import type { PolicyPort } from './port.ts';
import { requirePermission } from './require-permission.ts';

/**
 * Policy domains together with the agents' own handlers: both must permit. The domains are asked first, about the
 * original request; the handlers may then narrow or change it.
 */
export function bothPolicies(domains: PolicyPort, handlers: PolicyPort | undefined): PolicyPort {
  if (!handlers) return domains;
  if (domains.permitsEverything === true) return handlers;
  const isLooking = domains.looksAtOwners === true || handlers.looksAtOwners === true;
  return {
    looksAtOwners: isLooking,
    async isPermitted(question) {
      return (await domains.isPermitted(question)) && (await handlers.isPermitted(question));
    },
    async permit(question) {
      await requirePermission(domains, question);
      return requirePermission(handlers, question);
    },
  };
}

/** The built-in domain used without policy files: everything is permitted. */
export function createPermissiveDomain(): PolicyPort {
  return { permitsEverything: true, isPermitted: () => true };
}

import type { PolicyPort } from './port.ts';
import { requirePermission } from './require-permission.ts';

/**
 * Policy domains together with the agents' own handlers: both have to permit. The domains are asked first, about what the
 * request brings; the handlers may then narrow it or change it.
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

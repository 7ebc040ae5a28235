import { ServiceError } from '../errors/service-error.ts';
import type { PolicyPort, PolicyQuestion } from './port.ts';

/** Resolves when the policy permits; rejects with `permission_denied` otherwise, also when deciding fails. */
export async function requirePermission(
  policy: PolicyPort,
  question: PolicyQuestion,
): Promise<void> {
  const { operation, resource } = question;
  let cause: unknown;
  try {
    if (await policy.isPermitted(question)) return;
  } catch (error) {
    cause = error;
  }
  throw new ServiceError(
    'permission_denied',
    `The policy denies ${operation} on ${resource.mrn}.`,
    {
      details: { operation, resource: resource.mrn },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

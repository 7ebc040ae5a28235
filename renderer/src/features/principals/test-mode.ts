import { useQuery } from '@tanstack/react-query';
import { infoQuery } from '../../api/queries/health.ts';

/** Whether the service takes the caller from X-Test-Principal; undefined until it is known. */
export function useTestMode(): boolean | undefined {
  const { data } = useQuery(infoQuery);
  if (data === undefined) return undefined;
  const { flags } = data;
  // A service that does not report its flags may have it on: then the switcher stays usable.
  if (typeof flags !== 'object' || flags === null || !('test_mode' in flags)) return true;
  return flags.test_mode === true;
}

/** Why no other principal can be chosen, and what to do about it. */
export const testModeIsOff =
  'The service verifies its callers. Principals can be chosen where it runs in test mode: SERVICE_API_AUTH_TEST_MODE=true.';

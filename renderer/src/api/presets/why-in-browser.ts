import { ApiError } from '../errors.ts';

/** Why presets are in this browser, when that follows from the error; other errors are thrown. */
export function whyInBrowser(error: unknown): string {
  if (error instanceof ApiError) {
    const { status, code } = error;
    if (status === 403) return 'the policy denies assistants';
    if (code === 'assistants_unavailable') return 'the service cannot read its assistants';
    if (status === 501 || code === 'route_not_found') return 'the service keeps no assistants';
  }
  throw error;
}

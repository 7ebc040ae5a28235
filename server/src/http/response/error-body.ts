/**
 * The body of every HTTP failure (decisions: "body of every HTTP failure"). `invalid_request` always names issues: where
 * nobody knows better it is the request as a whole.
 */
export function errorBody(
  error: { code: string; message: string; details?: Record<string, unknown> },
  requestId: string,
): Record<string, unknown> {
  const { code, message, details } = error;
  const issues = code === 'invalid_request' ? { issues: [{ path: '', message }] } : {};
  const metadata = { ...issues, ...details, request_id: requestId };
  return { code, message, detail: message, metadata };
}

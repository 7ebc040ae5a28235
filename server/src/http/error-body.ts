/** The body of every HTTP failure (decisions: "body of every HTTP failure"). */
export function errorBody(
  error: { code: string; message: string; details?: Record<string, unknown> },
  requestId: string,
): Record<string, unknown> {
  const { code, message, details } = error;
  return { code, message, detail: message, metadata: { ...details, request_id: requestId } };
}

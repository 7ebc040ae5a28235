import { createHmac } from 'node:crypto';

/** What the headers of a webhook are made of. */
export interface Signed {
  webhookId: string;
  /** Seconds since the epoch. */
  timestamp: number;
  body: string;
}

/**
 * The headers of Standard Webhooks: with a secret, HMAC-SHA256 over id, timestamp and body, joined by dots. A secret
 * that begins with `whsec_` is a key in base64, any other one is the key itself.
 */
export function webhookHeaders(
  { webhookId, timestamp, body }: Signed,
  secret: string | undefined,
): Record<string, string> {
  const headers = { 'webhook-id': webhookId, 'webhook-timestamp': String(timestamp) };
  if (secret === undefined) return headers;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
  const signature = createHmac('sha256', key)
    .update(`${webhookId}.${timestamp}.${body}`)
    .digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}

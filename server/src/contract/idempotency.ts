import { z } from 'zod';

/** What a key is made of. */
export const idempotencyKey = /^[\x21-\x7e]{1,255}$/;

/** The header of every request that creates a thread or a run; understood by http/request/idempotency-key.ts. */
export const idempotencyHeader = z.object({
  'Idempotency-Key': z.exactOptional(z.string().regex(idempotencyKey)).meta({
    description:
      'Extension: 1 to 255 visible ASCII characters. The same key with the same body, letter for letter, from the same principal at the same endpoint returns what the first such request has made, as it is now; a wait or a stream is attached to it. Query parameters may differ. With another body: 409 `idempotency_conflict`. Kept for 24 hours; what is deleted can be made again.',
    example: '0d9f2c1e-order-42',
  }),
});

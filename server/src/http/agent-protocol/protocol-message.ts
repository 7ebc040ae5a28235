import { z } from 'zod';

/** Messages as Agent Protocol has them; agents get them as they were sent. */
export const messageList = z.array(
  z.looseObject({
    role: z.string(),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  }),
);

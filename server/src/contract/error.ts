import { z } from 'zod';

/** One thing that is wrong with a request. */
export const issue = z
  .object({
    path: z
      .string()
      .meta({ description: 'Where, as `config.recursion_limit`; empty for the whole.' }),
    message: z.string(),
  })
  .meta({ id: 'Issue' });

/** The body of every HTTP failure. The generator puts in the codes of the error table. */
export function errorBody(codes: readonly [string, ...string[]]) {
  return z
    .object({
      code: z.enum(codes).meta({ description: 'Stable. Branch on it, never on the message.' }),
      message: z.string(),
      detail: z.string().meta({ description: 'The same sentence as `message`.' }),
      metadata: z.looseObject({
        request_id: z.string(),
        issues: z.exactOptional(z.array(issue)),
      }),
    })
    .meta({ id: 'Error', description: 'The body of every HTTP failure.' });
}

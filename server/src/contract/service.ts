import { z } from 'zod';

export const component = z
  .object({
    status: z.enum(['ok', 'failing', 'off']),
    message: z.exactOptional(z.string()),
  })
  .meta({ id: 'Component' });

export const health = z
  .object({
    status: z.enum(['ok', 'failing']),
    version: z.string(),
    components: z.record(z.string(), component).meta({ description: 'engine, disk, guest, store' }),
  })
  .meta({ id: 'Health' });

export const live = z.object({ status: z.literal('ok') }).meta({ id: 'Live' });
export const info = z.looseObject({ version: z.string() }).meta({ id: 'Info' });

export type ComponentWire = z.infer<typeof component>;
export type HealthWire = z.infer<typeof health>;

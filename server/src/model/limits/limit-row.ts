/** The values from which the limits of a thread are derived. */
export interface LimitBasis {
  /** M: `engine.max_checkpoint_bytes`, pinned into the thread at its creation; 0 is automatic. */
  maxCheckpointBytes: number;
  /** External checkpoint storage is on. */
  isExternal?: boolean;
  /** Overrides the continue-as-new payload budget. */
  canPayloadBudgetBytes?: number;
  /** P: the limit of one payload of the engine. Default: that of an engine with the usual limit. */
  payloadBytes?: number;
}

/** One row of the table. Formulas use M (`engine.max_checkpoint_bytes`) and P (one payload of the engine). */
export interface LimitRow {
  /** What is limited. */
  what: string;
  /** In words, for docs/limits.md. */
  formula: string;
  value(basis: Required<Omit<LimitBasis, 'canPayloadBudgetBytes'>> & LimitBasis): number;
  unit:
    | 'bytes'
    | 'ms'
    | 'events'
    | 'updates'
    | 'runs'
    | 'pairs'
    | 'ids'
    | 'rows'
    | 'values'
    | 'imports'
    | 'requests'
    | 'connections'
    | 'checkpoints'
    | 'writes'
    | 'policies'
    | 'levels'
    | 'characters'
    | 'threads'
    | 'layers'
    | 'files'
    | 'guests';
  /** Where it is enforced. */
  where: string;
  /** What happens above the limit. */
  outcome: string;
  /** The tag `limit` of service_size_limit_rejections_total. */
  label?: string;
}

/** The row of a limit that does not depend on the basis. */
export function constant(value: number, row: Omit<LimitRow, 'formula' | 'value'>): LimitRow {
  return { ...row, formula: 'constant', value: () => value };
}

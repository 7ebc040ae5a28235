import type { RecordedDetail } from '../port.ts';
import type { Price } from '../prices.ts';
import type { Redact } from './redaction.ts';

/** How records are made. */
export interface BuilderOptions {
  detail: RecordedDetail;
  redact: Redact;
  /** Something is redacted. */
  isRedacting: boolean;
  prices: readonly Price[];
}

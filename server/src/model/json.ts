/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonMembers;

/** A JSON object. */
export interface JsonMembers {
  readonly [member: string]: Json;
}

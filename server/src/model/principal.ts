/** Who makes a request (spec: Resources, Principal). `claims` holds every identity claim, `sub` and `mroles` too. */
export interface Principal {
  sub: string;
  mroles: string[];
  claims: Record<string, unknown>;
}

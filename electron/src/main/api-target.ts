/** The target of the window's requests: a service with its headers, or the reason why there is none. */
export type ApiTarget =
  | { readonly base: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly unavailable: string };

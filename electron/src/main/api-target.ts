/** Where requests of the window go: a service with what it wants to be shown, or nowhere, and why. */
export type ApiTarget =
  | { readonly base: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly unavailable: string };

import { create } from 'zustand';
import { persist } from 'zustand/middleware';

/** A caller that the studio can be in test mode. Its claims become the header `X-Test-Principal`. */
export interface NamedPrincipal {
  readonly name: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

interface PrincipalState {
  readonly principals: readonly NamedPrincipal[];
  /** The name of the one in use; null is anonymous. */
  readonly active: string | null;
  setPrincipals(principals: readonly NamedPrincipal[]): void;
  choose(name: string | null): void;
}

/** The principals stored in this browser, and which of them requests are sent as. */
export const usePrincipal = create<PrincipalState>()(
  persist(
    (set) => ({
      principals: [],
      active: null,
      setPrincipals: (principals) => set({ principals }),
      choose: (active) => set({ active }),
    }),
    { name: 'studio-principals' },
  ),
);

/** The principal in use; undefined is anonymous. */
export function currentPrincipal(): NamedPrincipal | undefined {
  const { principals, active } = usePrincipal.getState();
  return principals.find(({ name }) => name === active);
}

/** The header's value; undefined sends none. Header values are Latin-1: other characters are escaped. */
export function principalHeader(): string | undefined {
  const principal = currentPrincipal();
  if (principal === undefined) return undefined;
  return JSON.stringify(principal.claims).replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

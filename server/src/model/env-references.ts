/** `${NAME}` and `${NAME:-default}`. */
const REFERENCE = /\$\{([^}:]*)(?::-([^}]*))?\}/g;

/**
 * The variables of a .env file, with references to earlier ones and to those of `outer` resolved as LangGraph's server
 * does (python-dotenv); variables that are not set are empty.
 */
export function resolveReferences(
  parsed: Readonly<Record<string, string | undefined>>,
  outer: Readonly<Record<string, string>>,
): Record<string, string> {
  const known = new Map(Object.entries(outer));
  const entries = Object.entries(parsed).map(([name, value = '']) => {
    const resolved = value.replaceAll(
      REFERENCE,
      (_, other: string, otherwise: string = '') => known.get(other) ?? otherwise,
    );
    known.set(name, resolved);
    return [name, resolved];
  });
  return Object.fromEntries(entries) as Record<string, string>; // a pair of strings is typed as any
}

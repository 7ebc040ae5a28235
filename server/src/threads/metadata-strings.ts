/** Spec: Thread, metadata. Strings stay, everything else becomes its JSON text (decisions: "metadata values"). */
export function metadataStrings(metadata: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

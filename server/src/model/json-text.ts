/** A complete JSON document as text. It is passed on as it is and parsed only where somebody looks inside. */
export type JsonText = string & { readonly jsonText: true };

/** Marks text as JSON that its maker vouches for: a guest's projection, or the answer of JSON.stringify. */
export function jsonText(text: string): JsonText {
  return text as JsonText; // the brand exists only in the type
}

/** Serialises a value that is known to be JSON. */
export function toJsonText(value: unknown): JsonText {
  return jsonText(JSON.stringify(value));
}

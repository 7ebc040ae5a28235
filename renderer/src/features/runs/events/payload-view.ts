/** How a payload is shown. */
export const payloadViews = ['json', 'messages', 'diff'] as const;
export type PayloadView = (typeof payloadViews)[number];

/** True for the name of a view. */
export function isPayloadView(name: string | null): name is PayloadView {
  return payloadViews.some((view) => view === name);
}

// Words of the field instead of our own: the table in CONTRIBUTING.md, "Words", is made of this one.

export interface Word {
  /** What is not written any more. Identifiers with a part in capitals or small letters, or a phrase. */
  readonly not: RegExp;
  /** As the table shows it. */
  readonly shown: string;
  readonly instead: string;
  /** Where it is not written; absent: anywhere. */
  readonly within?: RegExp;
}

/** The product's own code, without its tests and what is generated. */
const product = /^server\/src\/(?!.*(?:\.test|\/proto-messages)\.ts$)/;

export const words: readonly Word[] = [
  { not: /\bmakeWay\b/, shown: '`makeWay`', instead: '`applyMultitaskStrategy`' },
  { not: /\baskBeside\b/, shown: '`askBeside`', instead: '`hedge`' },
  { not: /\binLanes\b/, shown: '`inLanes`', instead: '`pLimit(n).map`' },
  { not: /\bUpdateGate\b/, shown: '`UpdateGate`', instead: '`KeyedSemaphore`' },
  { not: /\bleaveMark\b/, shown: '`leaveMark`', instead: '`reserveIdempotencyKey`' },
  { not: /\bunbegun\b/i, shown: '`unbegun`', instead: '`notStarted`' },
  { not: /\broomBeside\b/, shown: '`roomBeside`', instead: '`remainingInlineBytes`' },
  { not: /\bparseSaid\b|\bEngineSaid\b/, shown: '`parseSaid`', instead: '`parseEngineEvent`' },
  {
    not: /\b[Ss]tow(?:s|ed|ing|[A-Z]\w*)?\b/,
    shown: '`stow`, `Stowed`',
    instead: '`offload`, `OffloadedPayload`',
  },
  { not: /\bbreathe\b/, shown: '`breathe`', instead: '`yieldToEventLoop`' },
  { not: /\b[Ff]lowing\b/, shown: '`Flowing`', instead: '`StreamedJson`' },
  { not: /\breachedByNobody\b/, shown: '`reachedByNobody`', instead: '`loopbackOnly`' },
  { not: /\bmomentMs\b/, shown: '`momentMs`', instead: 'what is waited for, as `firstRowsWaitMs`' },
  { not: /\bspared\(/, shown: '`spared`', instead: '`cachedCount`' },
  { not: /\b[Aa]nswers \d{3}\b/, shown: 'answers 404', instead: 'responds with 404' },
  {
    not: /; answers (?:the|its|how|whether|which|what)\b/,
    shown: 'Does …; answers how …',
    instead: 'Does …; returns how …',
  },
  {
    not: /\btold\b/,
    shown: 'told',
    instead: 'reported, notified, passed to',
  },
  {
    not: /\b(?:[Nn]obody|[Ww]hoever)\b/,
    shown: 'nobody, whoever',
    instead: 'no caller, any client, callers that …',
    within: product,
  },
  {
    not: /\b(?:said|saidBy)\b/,
    shown: 'said',
    instead: 'output, text, reported, given',
    within: product,
  },
  {
    not: /\bplaceOf\b|\b[a-z]\w*Place\b|\bPlaced?[A-Z]\w*|(?:interface|type|class) Place\b/,
    shown: '`placeOf`, `…Place`',
    instead: 'what it is: path, location, position, key, reference',
    within: /^(?!renderer\/src\/api\/generated).*/,
  },
];

/** The rows of the table, as Markdown. */
export function wordRows(): string[] {
  return words.map(({ shown, instead }) => `| ${shown} | ${instead} |`);
}

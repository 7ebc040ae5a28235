import { isRecord, textOf } from '../../api/json-record.ts';

/** The question of an interrupt, for a form. */
export interface Question {
  readonly question: string | undefined;
  /** Answers to choose from, with the value that each sends. */
  readonly options: readonly { readonly label: string; readonly value: unknown }[];
  /** The other members of the value. */
  readonly details: readonly (readonly [string, unknown])[];
}

const questionKeys = ['question', 'prompt', 'message', 'text', 'description', 'title'];
const optionKeys = ['options', 'choices', 'allowed', 'answers'];

/** Reads question, options and details out of an interrupt's value, whatever its shape. */
export function readQuestion(value: unknown): Question {
  if (typeof value === 'string') return { question: value, options: [], details: [] };
  if (!isRecord(value)) return { question: undefined, options: [], details: [['value', value]] };
  const questionKey = questionKeys.find((key) => typeof value[key] === 'string');
  const optionKey = optionKeys.find((key) => Array.isArray(value[key]));
  const used = new Set([questionKey, optionKey]);
  return {
    question: questionKey === undefined ? undefined : textOf(value, questionKey),
    options: optionKey === undefined ? [] : optionsOf(value[optionKey]),
    details: Object.entries(value).filter(([key]) => !used.has(key)),
  };
}

/** True for a question that yes and no do not answer: What is your name? */
export function needsText(question: string | undefined): boolean {
  return /\b(what|which|who|whom|whose|when|where|why|how)\b/i.test(question ?? '');
}

function optionsOf(options: unknown): Question['options'] {
  if (!Array.isArray(options)) return [];
  return options.map((option: unknown) => {
    if (!isRecord(option)) {
      return { label: typeof option === 'string' ? option : JSON.stringify(option), value: option };
    }
    const label = textOf(option, 'label') ?? textOf(option, 'title') ?? textOf(option, 'name');
    return { label: label ?? JSON.stringify(option), value: option['value'] ?? option };
  });
}

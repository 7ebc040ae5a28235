/** Embedding functions: the length of each text, and a half. */

export const sync = (texts: string[]): number[][] => texts.map((text) => [text.length, 0.5]);

export const asynchronous = (texts: string[]): Promise<number[][]> => Promise.resolve(sync(texts));

export const model = {
  embedDocuments: asynchronous,
  embedQuery: (text: string): Promise<number[]> => Promise.resolve([text.length, -0.5]),
};

export function failing(): never {
  throw new Error('no vectors today');
}

export const wordy = (texts: string[]): string[] => texts.map(() => 'vector');

export const none = 1;

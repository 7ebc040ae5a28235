/** The languages that agents are written in, as people call them. */
export const languageNames = { python: 'Python', javascript: 'JavaScript' } as const;

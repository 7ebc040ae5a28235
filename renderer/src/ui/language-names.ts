/** The display names of the agents' languages. */
export const languageNames = { python: 'Python', javascript: 'JavaScript' } as const;

export const settings = { name: 'no graph' };

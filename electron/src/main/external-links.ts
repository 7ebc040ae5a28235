import type { Ask } from './confirmations.ts';

/**
 * Opens links of the page in the user's browser, once their address was confirmed: agents write them, and a page could
 * send what it knows in one. Only http and https: other schemes start programs.
 */
export function createLinkOpener(options: {
  ask: Ask;
  open: (url: string) => Promise<void>;
}): (url: string) => Promise<void> {
  let isAsking = false;
  return async (url) => {
    const address = webAddress(url);
    // One question at a time: a page must not bury the user in them.
    if (address === undefined || isAsking) return;
    isAsking = true;
    try {
      const question = {
        message: 'Open this link in your browser?',
        detail: address,
        confirm: 'Open',
      };
      if (await options.ask(question)) await options.open(address);
    } finally {
      isAsking = false;
    }
  };
}

function webAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return /^https?:$/.test(protocol) ? href : undefined;
}

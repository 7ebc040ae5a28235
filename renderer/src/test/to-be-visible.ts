import { expect } from 'vitest';

declare module 'vitest' {
  interface Matchers<R, T> {
    /** On the page, and nothing around it hides it. Stylesheets are not loaded in these tests: theirs does not count. */
    toBeVisible(): R;
  }
}

expect.extend({
  toBeVisible(received: unknown) {
    const hider = received instanceof Element ? whatHides(received) : 'not an element';
    return {
      pass: hider === undefined,
      message: () =>
        hider === undefined
          ? `expected ${this.utils.printReceived(received)} not to be visible`
          : `expected ${this.utils.printReceived(received)} to be visible: ${hider}`,
    };
  },
});

/** Why an element is not visible; undefined when it is. */
function whatHides(element: Element): string | undefined {
  if (!element.isConnected) return 'it is not on the page';
  for (let one: Element | null = element; one !== null; one = one.parentElement) {
    if (one.hasAttribute('hidden')) return `<${one.localName} hidden>`;
    if (one instanceof HTMLElement && isHiddenByStyle(one.style))
      return `<${one.localName} style="${one.style.cssText}">`;
    const fold: Element | null = one.parentElement;
    if (fold instanceof HTMLDetailsElement && !fold.open && !(one.localName === 'summary'))
      return 'it is in a closed <details>';
  }
  return undefined;
}

function isHiddenByStyle({ display, visibility, opacity }: CSSStyleDeclaration): boolean {
  return display === 'none' || visibility === 'hidden' || opacity === '0';
}

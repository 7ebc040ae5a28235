// What jsdom lacks and the parts need. Every test leaves an empty page and an empty memory behind.
import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

// Pages are loaded with their first visit, which takes its time on a busy machine.
configure({ asyncUtilTimeout: 8_000 });

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

/** Node's Request wants whole addresses; a page's are relative to it. */
const NodeRequest = globalThis.Request;
globalThis.Request = class extends NodeRequest {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, window.location.href) : input, init);
  }
};

class FixedResizeObserver implements ResizeObserver {
  readonly #callback: ResizeObserverCallback;
  constructor(callback: ResizeObserverCallback) {
    this.#callback = callback;
  }
  observe(target: Element): void {
    const { width, height } = target.getBoundingClientRect();
    const size = [{ inlineSize: width, blockSize: height }];
    this.#callback(
      [
        {
          target,
          contentRect: target.getBoundingClientRect(),
          borderBoxSize: size,
          contentBoxSize: size,
          devicePixelContentBoxSize: size,
        },
      ],
      this,
    );
  }
  unobserve(): void {}
  disconnect(): void {}
}

globalThis.ResizeObserver = FixedResizeObserver;
window.matchMedia = (media) => ({
  media,
  matches: false,
  onchange: null,
  addListener: () => {},
  removeListener: () => {},
  addEventListener: () => {},
  removeEventListener: () => {},
  dispatchEvent: () => false,
});
// Without layout everything is as large as a small window, so that virtual lists show some rows.
const rectangle = { x: 0, y: 0, top: 0, left: 0, right: 800, bottom: 600, width: 800, height: 600 };
Element.prototype.getBoundingClientRect = () => ({ ...rectangle, toJSON: () => rectangle });
Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { get: () => 600 });
Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { get: () => 800 });
Object.defineProperty(Element.prototype, 'clientHeight', { get: () => 600 });
Object.defineProperty(Element.prototype, 'clientWidth', { get: () => 800 });
Range.prototype.getBoundingClientRect = () => ({ ...rectangle, toJSON: () => rectangle });
Range.prototype.getClientRects = () => document.createElement('i').getClientRects();
Element.prototype.scrollIntoView = () => {};
Element.prototype.scrollTo = () => {};
// Fields that grow with their text are measured again when fonts have come.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });

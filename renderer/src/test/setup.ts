// What jsdom lacks and the components need. Files share a page and its modules (`isolate: false`), so every test leaves an
// empty page, an empty memory and the stores as they were at the start behind.
import { notifications } from '@mantine/notifications';
import { cleanup, configure, getConfig } from '@testing-library/react';
import { afterEach, vi } from 'vitest';
import { palette } from '../app/palette-store.ts';
import { commitPending } from '../ui/undo.tsx';
import { resetStores } from './reset-stores.ts';
import './to-be-visible.ts';

const { getElementError } = getConfig();
configure({
  // Pages are loaded with their first visit, which takes its time on a busy machine.
  asyncUtilTimeout: 8_000,
  // A repeated query needs no print of the whole page each time: `waitFor` adds it at its end.
  getElementError: (message, container) => {
    if (!isPolling()) return getElementError(message, container);
    return Object.assign(new Error(message ?? ''), { name: 'TestingLibraryElementError' });
  },
});

function isPolling(): boolean {
  // Testing Library sets it while `waitFor` tries its callback; its types omit it.
  const config = getConfig() as { readonly _disableExpensiveErrorDiagnostics?: boolean };
  return config._disableExpensiveErrorDiagnostics === true;
}

// No test reaches the network: a request without a fake service, or after its test, gets no response.
globalThis.fetch = () => new Promise(() => undefined);

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  // Their ten seconds would end in another test.
  void commitPending();
  notifications.clean();
  palette.close();
  resetStores();
  localStorage.clear();
  sessionStorage.clear();
  document.body.replaceChildren();
  for (const { name } of [...document.body.attributes]) document.body.removeAttribute(name);
  window.history.replaceState(null, '', '/');
});

/** Node's Request needs absolute URLs; a page's are relative to it. */
class PageRequest extends Request {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, window.location.href) : input, init);
  }
}
globalThis.Request = PageRequest;

// jsdom draws its frames with the interval of the moment: one that a test replaces never comes, and no later frame either.
const { setTimeout: later, clearTimeout: cancelLater } = globalThis;
globalThis.requestAnimationFrame = (draw) => Number(later(() => draw(performance.now()), 16));
globalThis.cancelAnimationFrame = (frame) => cancelLater(frame);

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

import { useEffect } from 'react';
import { useSearchParams } from 'react-router';

/** Scrolls to the setting that the address names (`?setting=port`), and gives it the focus; `isReady`: it is on the page. */
export function useSettingInView({ isReady }: { readonly isReady: boolean }): void {
  const [search] = useSearchParams();
  const name = search.get('setting');
  useEffect(() => {
    if (name === null || !isReady) return;
    const field = document.querySelector(`[data-setting="${CSS.escape(name)}"]`);
    field?.scrollIntoView({ block: 'center' });
    const input =
      field?.matches('input, textarea') === true ? field : field?.querySelector('input');
    if (input instanceof HTMLElement) input.focus({ preventScroll: true });
  }, [name, isReady]);
}

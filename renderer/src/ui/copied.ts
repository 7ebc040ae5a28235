import { useEffect, useRef, useState } from 'react';

const shownFor = 1_400;

/** Copies text, and is true for a short time afterwards. */
export function useCopied(): { isCopied: boolean; copy(text: string): void } {
  const [isCopied, setIsCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    isCopied,
    copy: (text) => {
      void copyText(text).then((hasWorked) => {
        clearTimeout(timer.current);
        setIsCopied(hasWorked);
        timer.current = setTimeout(() => setIsCopied(false), shownFor);
      });
    },
  };
}

/** Puts text on the clipboard; also where the page is not a secure context, such as http on another host. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.style.position = 'fixed';
    field.style.opacity = '0';
    document.body.append(field);
    field.select();
    try {
      // The only way without a secure context; browsers keep it although it is marked deprecated.
      return document.execCommand('copy');
    } finally {
      field.remove();
    }
  }
}

import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core';
import { desktop } from '../desktop.ts';

/** The one accent, light to dark; the shades that carry text are those of tokens.css. */
const accent: MantineColorsTuple = [
  '#eaf2ff',
  '#d3e3fd',
  '#a9c9fb',
  '#7db0ff',
  '#5a97f2',
  '#3a7fe0',
  '#1f5fc4',
  '#1a52aa',
  '#16468f',
  '#103569',
];

/** Mantine's greys in the tones of tokens.css: text, lines, grounds, from light to dark. */
const dark: MantineColorsTuple = [
  '#e4e7ea',
  '#c3c9d0',
  '#a3acb5',
  '#7d868f',
  '#464d55',
  '#2f343a',
  '#24282d',
  '#15171a',
  '#1b1e22',
  '#0f1113',
];

const small = { defaultProps: { size: 'xs' } } as const;

/** Smaller than the label would be too small to read. */
const description = { fontSize: 'var(--mantine-font-size-xs)', lineHeight: '16px' } as const;

/** Mantine made dense and quiet: 13 px, radius 4, no shadow but under overlays. */
export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: 6,
  autoContrast: true,
  colors: { accent, dark },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '13px', lg: '14px', xl: '16px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '20px', xl: '24px' },
  radius: { xs: '2px', sm: '4px', md: '4px', lg: '4px', xl: '4px' },
  defaultRadius: 'sm',
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  shadows: {
    xs: 'none',
    sm: 'none',
    md: 'var(--overlay-shadow)',
    lg: 'var(--overlay-shadow)',
    xl: 'var(--overlay-shadow)',
  },
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs', variant: 'default' } },
    ActionIcon: { defaultProps: { size: 'md', variant: 'subtle', color: 'gray' } },
    TextInput: small,
    PasswordInput: small,
    Textarea: small,
    Select: small,
    MultiSelect: small,
    NumberInput: small,
    JsonInput: small,
    Checkbox: { ...small, styles: { description } },
    InputWrapper: { styles: { description } },
    Switch: small,
    SegmentedControl: small,
    Modal: {
      defaultProps: {
        transitionProps: { duration: 100 },
        overlayProps: { backgroundOpacity: 0.4 },
        centered: true,
      },
    },
    Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 80 } } },
    Popover: { defaultProps: { shadow: 'md', transitionProps: { duration: 80 } } },
    Tooltip: { defaultProps: { transitionProps: { duration: 80 } } },
  },
});

const surfaces = {
  '--mantine-color-body': 'var(--surface-0)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text-dim)',
  '--mantine-color-placeholder': 'var(--text-faint)',
  '--mantine-color-default': 'var(--surface-0)',
  '--mantine-color-default-hover': 'var(--surface-2)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-disabled': 'var(--surface-2)',
  '--mantine-color-disabled-color': 'var(--text-faint)',
  '--mantine-color-disabled-border': 'var(--line)',
  '--mantine-color-error': 'var(--error)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-accent-light': 'var(--accent-soft)',
  '--mantine-color-accent-light-color': 'var(--accent)',
  '--mantine-color-accent-outline': 'var(--accent)',
  '--mantine-color-accent-text': 'var(--accent)',
};

/** Mantine's own surfaces and lines take the tokens, so both schemes have one source. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: surfaces,
  dark: surfaces,
});

const storedScheme = localStorageColorSchemeManager({ key: 'studio-color-scheme' });

/**
 * Stores the scheme in this browser; `auto` follows the system until the user chooses. The desktop's menus and dialogs
 * follow it.
 */
export const schemeManager: typeof storedScheme = {
  ...storedScheme,
  set(scheme) {
    storedScheme.set(scheme);
    void desktop?.settings.write({ theme: scheme === 'auto' ? 'system' : scheme });
  },
};

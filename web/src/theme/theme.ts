/** The theme of the pages has one accent, quiet greys, and hairlines instead of shadows. */
import { createTheme, type CSSVariablesResolver } from '@mantine/core'
import i18next from 'i18next'

export const theme = createTheme({
  primaryColor: 'facteur',
  primaryShade: 6,
  autoContrast: true,
  colors: {
    facteur: [
      '#edf3fd',
      '#d7e4f9',
      '#adc8f3',
      '#82abed',
      '#5a90e6',
      '#3d7ce0',
      '#1d5fd1',
      '#184fae',
      '#133f8b',
      '#0e2f68',
    ],
    dark: [
      '#e4e7ec',
      '#c3c9d2',
      '#9aa3b0',
      '#7a8492',
      '#4a5361',
      '#39414d',
      '#2a303a',
      '#191d23',
      '#14171c',
      '#0f1216',
    ],
    gray: [
      '#f8f9fa',
      '#f1f3f5',
      '#e6e9ed',
      '#d8dde3',
      '#bcc4cd',
      '#939da9',
      '#6a7582',
      '#4c5663',
      '#343c47',
      '#1d232b',
    ],
  },
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace",
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1.125rem' },
      h3: { fontSize: '1rem' },
    },
  },
  components: {
    // The function reads the label at each rendering, in the language of that time.
    CloseButton: { defaultProps: () => ({ 'aria-label': i18next.t('close', { ns: 'shell' }) }) },
    // A label needs a role (ARIA 1.2, 5.2.8.6), and Mantine's own is English.
    Loader: {
      defaultProps: () => ({ role: 'status', 'aria-label': i18next.t('loading', { ns: 'shell' }) }),
    },
    Alert: { defaultProps: { radius: 'lg' } },
    Modal: { defaultProps: { centered: true, radius: 'lg' } },
    Tooltip: {
      defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } },
    },
    Text: { defaultProps: { size: 'sm' } },
    // A link is a text too; this size is that of what it stands in (style.css).
    Anchor: { defaultProps: { size: 'md' } },
    Textarea: { defaultProps: { autosize: true, minRows: 2 } },
    Paper: { defaultProps: { withBorder: true, radius: 'lg', p: 'lg' } },
  },
})

/**
 * Mantine's own colours are too faint here (WCAG 1.4.3), or lie on another ground than ours
 * (style.css).
 */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-anchor': '#1a56bd',
    '--mantine-color-dimmed': '#596472',
    '--mantine-color-placeholder': '#6a7582',
    '--mantine-color-error': '#c22121',
  },
  dark: {
    '--mantine-color-anchor': '#8fb8fb',
    '--mantine-color-body': '#14171c',
    '--mantine-color-default': '#1b2027',
    '--mantine-color-default-hover': '#232932',
    '--mantine-color-dimmed': '#a3acb9',
    '--mantine-color-placeholder': '#8b95a3',
    '--mantine-color-error': '#ff9b9b',
    '--mantine-color-red-light': '#33191b',
    '--mantine-color-red-light-color': '#ffaaaa',
    '--mantine-color-yellow-light': '#2e2610',
    '--mantine-color-yellow-light-color': '#f3cd74',
  },
})

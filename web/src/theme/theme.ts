/** How the pages look: one accent, quiet greys, hairlines instead of shadows. */
import { createTheme } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'facteur',
  primaryShade: { light: 6, dark: 5 },
  autoContrast: true,
  colors: {
    facteur: ['#edf3fd', '#d7e4f9', '#adc8f3', '#82abed', '#5a90e6', '#3d7ce0', '#1d5fd1', '#184fae', '#133f8b', '#0e2f68'],
    dark: ['#e4e7ec', '#c3c9d2', '#9aa3b0', '#7a8492', '#4a5361', '#39414d', '#2a303a', '#191d23', '#14171c', '#0f1216'],
    gray: ['#f8f9fa', '#f1f3f5', '#e6e9ed', '#d8dde3', '#bcc4cd', '#939da9', '#6a7582', '#4c5663', '#343c47', '#1d232b'],
  },
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace",
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: {
    fontWeight: '620',
    sizes: { h1: { fontSize: '1.5rem', lineHeight: '1.25' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '1rem' } },
  },
  components: {
    Modal: { defaultProps: { centered: true, radius: 'lg' } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
    Paper: { defaultProps: { withBorder: true, radius: 'lg', p: 'lg' } },
  },
})

/** How many there are, in the reader's digits; `10,000+` where there are more. */
import type { Total } from './selection.tsx'

export const sayTotal = ({ count, more }: Total, language: string): string =>
  `${new Intl.NumberFormat(language).format(count)}${more ? '+' : ''}`

/** How many items a list has. */
export interface Total {
  count: number
  /** There are more than `count`. */
  more: boolean
}

/** In the reader's digits; `10,000+` where there are more. */
export const sayTotal = ({ count, more }: Total, language: string): string =>
  `${new Intl.NumberFormat(language).format(count)}${more ? '+' : ''}`

/** Breaks e-mail addresses in a text only after "@" and before a dot, never inside a word. */
import { Fragment, type ReactNode } from 'react'
import classes from './Addressed.module.css'

/** A longer word of an address ends at the end of its line, and shows whole on hover. */
const wordMax = 24

export function Addressed({ children: text }: { children: string }) {
  if (!text.includes('@')) return text
  return (
    <bdi className={classes.addressed} data-address data-long={isLong(text)} title={text}>
      {breakable(text)}
    </bdi>
  )
}

/** The same text with the places where a line may end. */
const breakable = (text: string): ReactNode =>
  partsOf(text).map((part, at) => (
    // Parts have no name of their own, and stay in their order.
    // oxlint-disable-next-line react/no-array-index-key
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))

const partsOf = (text: string): string[] => text.split(/(?<=@)|(?=\.)|(?<=[-+_])/)

const isLong = (text: string): boolean =>
  partsOf(text).some((part) => part.split(/\s/).some((word) => word.length > wordMax))

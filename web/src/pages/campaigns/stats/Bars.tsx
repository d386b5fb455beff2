/**
 * Shows counts and shares with bars beside the numbers: a table to screen readers, a chart to the
 * eye.
 */
import type { ReactNode } from 'react'
import { PageLink } from '../../../parts/links.tsx'
import { useFigures } from '../run/use-figures.ts'
import classes from './Results.module.css'

export interface BarRow {
  label: ReactNode
  key: string
  count: number
  /** Null if there is nothing to divide by. */
  share: number | null
  tone?: 'good' | 'bad' | 'quiet'
  /** The row leads to this page, which lists the recipients that it counts. */
  to?: { to: string; search: Record<string, string> }
}

interface BarsProps {
  rows: readonly BarRow[]
  /** The headers of the columns, in their order: name, count, share. */
  headers: readonly [string, string, string]
}

export function Bars({ rows, headers }: BarsProps) {
  const { count, percent } = useFigures()
  return (
    <div className={classes.room}>
      <table className={classes.bars}>
        <thead>
          <tr>
            {headers.map((header, at) => (
              <th key={header} scope="col" className={at > 0 ? classes.figure : undefined}>
                {header}
              </th>
            ))}
            <td className={classes.drawn} aria-hidden />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label, count: number, share, tone, to }) => (
            <tr key={key} data-figure={key}>
              <th scope="row">{label}</th>
              <td className={classes.figure}>
                {to && number > 0 ? <PageLink {...to}>{count(number)}</PageLink> : count(number)}
              </td>
              <td className={classes.figure}>{percent(share)}</td>
              <td className={classes.drawn} aria-hidden>
                <div className={classes.track}>
                  {number > 0 && (
                    <span
                      className={classes.fill}
                      data-tone={tone}
                      style={{ inlineSize: `${(share ?? 0) * 100}%` }}
                    />
                  )}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

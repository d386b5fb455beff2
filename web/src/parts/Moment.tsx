/** A time in the reader's zone: how long ago at a glance, exactly on hover, on focus and for screen readers. */
import { Tooltip, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** `at`: RFC 3339; null shows a dash. `exact`: the date and time stand there, not how long ago it was. */
export function Moment({ at, exact = false }: { at: string | null | undefined; exact?: boolean }): ReactNode {
  const { t, i18n } = useTranslation('shell')
  if (at === null || at === undefined) return <span>–</span>
  const time = new Date(at)
  const full = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long', timeStyle: 'long' }).format(time)
  const short = exact
    ? new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' }).format(time)
    : sayWhen(time, i18n.language, t('justNow'))
  return (
    <Tooltip label={full}>
      <time dateTime={at} tabIndex={0} className="moment">
        <span aria-hidden>{short}</span>
        <VisuallyHidden>{full}</VisuallyHidden>
      </time>
    </Tooltip>
  )
}

/** Up to a week by how long it is, older ones by their day. */
function sayWhen(time: Date, language: string, justNow: string): string {
  const seconds = (time.getTime() - Date.now()) / 1_000
  if (Math.abs(seconds) >= 7 * 86_400) return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(time)
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  if (!step) return justNow
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(Math.trunc(seconds / step[1]), step[0])
}

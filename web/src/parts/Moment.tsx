/**
 * A time in the reader's zone: how long ago at a glance, exactly on hover, on touch and for screen
 * readers. No tab stop: it does nothing.
 */
import { Tooltip, VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { sayWhen } from './say-time.ts'
import { sayDate } from '../say-date.ts'

interface MomentProps {
  /** RFC 3339; null shows a dash. */
  at: string | null | undefined
  /** The date and time stand there, not how long ago it was; `seconds`: with seconds. */
  exact?: boolean | 'seconds'
}

export function Moment({ at, exact = false }: MomentProps) {
  const { t, i18n } = useTranslation('shell')
  if (at === null || at === undefined) return <span>–</span>
  const time = new Date(at)
  const full = sayDate(time, i18n.language, { dateStyle: 'long', timeStyle: 'long' })
  const short = exact
    ? sayDate(time, i18n.language, {
        dateStyle: 'medium',
        timeStyle: exact === 'seconds' ? 'medium' : 'short',
      })
    : sayWhen(time, { language: i18n.language, justNow: t('justNow') })
  return (
    <Tooltip label={full}>
      <time dateTime={at} className="moment">
        <span aria-hidden>{short}</span>
        <VisuallyHidden>{full}</VisuallyHidden>
      </time>
    </Tooltip>
  )
}

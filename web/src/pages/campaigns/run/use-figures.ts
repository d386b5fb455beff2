/** Numbers as the reader's language writes them. */
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'

export interface Figures {
  count(value: number): string
  /** Of what was not counted further; `more`: there are more than these. */
  countedUpTo(value: number, more: boolean): string
  /** Of a share between 0 and 1; null, nothing to divide, is a dash. */
  percent(share: number | null): string
  decimal(value: number): string
}

export function useFigures(): Figures {
  const { t, i18n } = useTranslation('run')
  const { language } = i18n
  return useMemo(() => {
    const counts = new Intl.NumberFormat(language)
    const shares = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
    const decimals = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 })
    return {
      count: (value) => counts.format(value),
      countedUpTo: (value, more) => (more ? t('moreThan', { n: counts.format(value) }) : counts.format(value)),
      percent: (share) => (share === null ? '–' : shares.format(share)),
      decimal: (value) => decimals.format(value),
    }
  }, [language, t])
}

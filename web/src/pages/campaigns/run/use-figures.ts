/** Numbers as the reader's language writes them. */
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'

export function useFigures() {
  const { t, i18n } = useTranslation('run')
  const { language } = i18n
  return useMemo(() => {
    const counts = new Intl.NumberFormat(language)
    const shares = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
    const decimals = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 })
    const count = (value: number): string => counts.format(value)
    return {
      count,
      /** Writes a count that the service stopped at a limit; `more`: there are more than these. */
      countedUpTo: (value: number, more: boolean) =>
        more ? t('moreThan', { n: count(value) }) : count(value),
      /** Formats a share between 0 and 1; null, nothing to divide, is a dash. */
      percent: (share: number | null) => (share === null ? '–' : shares.format(share)),
      decimal: (value: number) => decimals.format(value),
    }
  }, [language, t])
}

/** What preflight found, in the reader's words. */
import { useTranslation } from 'react-i18next'
import type { DraftPreflight } from '../../../../../src/contract/workspace/drafts.ts'

type Finding = DraftPreflight['findings'][number]

export function useSayFinding(): (finding: Finding) => string {
  const { t, i18n } = useTranslation('drafts')
  return ({ check, reason, details }) => {
    const numbers = Object.fromEntries(
      Object.entries(details).map(([name, value]) => [
        name,
        typeof value === 'number' ? value.toLocaleString(i18n.language) : value,
      ]),
    )
    const why = t(`why_${details['why']}`, { defaultValue: String(details['why'] ?? '') })
    const heldFor = t(`held_${String(details['reason']).replaceAll(/\W+/g, '_')}`, {
      defaultValue: String(details['reason'] ?? ''),
    })
    return t(reason === 'good' ? `good_${check}` : `reason_${reason}`, {
      ...numbers,
      ...countOf(details),
      number: numbers['count'],
      why,
      heldFor,
      defaultValue: `${check}: ${reason}`,
    })
  }
}

/** By what a sentence is in the singular or the plural. */
function countOf(details: Finding['details']): { count?: number } {
  const count = ['needed', 'links', 'asked', 'images', 'reachable', 'count'].map((name) => details[name]).find(isNumber)
  return count === undefined ? {} : { count }
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

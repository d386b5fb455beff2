/** Words the findings of a check and the problems of a draft for the author. */
import type { TFunction } from 'i18next'
import type { DraftPreflight, DraftProblem } from '../../../../../src/contract/workspace/drafts.ts'

type Say = TFunction<'drafts'>
type Finding = DraftPreflight['findings'][number]

/** Words a problem that blocks the send, and names the field of its path. */
export function sayProblem({ rule, value, limit, path, allowed }: DraftProblem, t: Say): string {
  const field = path.split('.').findLast((step) => Number.isNaN(Number(step))) ?? ''
  const what = t(`field_${field}`, { defaultValue: field })
  return (
    t(`rule_${rule}`, { what, value, limit, ours: allowed?.join(', '), defaultValue: '' }) ||
    t('rule_other', { what, rule })
  )
}

export function sayFinding({ check, reason, details }: Finding, t: Say, language: string): string {
  const numbers = Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name,
      typeof value === 'number' ? sayNumber(name, value, language) : value,
    ]),
  )
  const why = t(`why_${details['why']}`, { defaultValue: String(details['why'] ?? '') })
  const reasonText = t(`held_${String(details['reason']).replaceAll(/\W+/g, '_')}`, {
    defaultValue: String(details['reason'] ?? ''),
  })
  return t(reason === 'good' ? `good_${check}` : `reason_${reason}`, {
    ...numbers,
    ...countOf(details),
    // A sentence has one plural, and this one counts people too.
    lately: reason === 'excluded_received' ? t('lately', { count: Number(details['name']) }) : '',
    number: numbers['count'],
    why,
    heldFor: reasonText,
    what: sayTag(String(details['tag'] ?? ''), t),
    defaultValue: `${check}: ${reason}`,
  })
}

/** A custom field goes by its key. */
export const sayTag = (name: string, t: Say): string =>
  name.startsWith('fields.')
    ? name.slice('fields.'.length)
    : t(`merge_${name}`, { defaultValue: name })

/** A rate is a share of 1. */
const sayNumber = (name: string, value: number, language: string): string =>
  value.toLocaleString(
    language,
    name.startsWith('rate') ? { style: 'percent', maximumFractionDigits: 2 } : {},
  )

/** This number decides between the singular and the plural of a sentence. */
function countOf(details: Finding['details']): { count?: number } {
  const count = ['needed', 'links', 'asked', 'images', 'reachable', 'count']
    .map((name) => details[name])
    .find(isNumber)
  return count === undefined ? {} : { count }
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

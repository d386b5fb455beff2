/** What keeps a draft from being sent, in the reader's words, by the place that it stands at. */
import { useTranslation } from 'react-i18next'
import type { DraftProblem } from '../../../../../src/contract/workspace/drafts.ts'
import type { CurrentProblem } from './current-problems.ts'
import { useEditor } from './editor-context.ts'

export function useSayProblem(): (problem: DraftProblem) => string {
  const { t } = useTranslation('drafts')
  return ({ rule, value, limit, path }) => {
    const field = path.split('.').findLast((step) => Number.isNaN(Number(step))) ?? ''
    const what = t(`field_${field}`, { defaultValue: field })
    return t(`rule_${rule}`, { what, value, limit, defaultValue: '' }) || t('rule_other', { what, rule })
  }
}

/** Of a line above the content; undefined: it is fine. */
export function useProblemOf(path: string): string | undefined {
  const { problems } = useEditor()
  const say = useSayProblem()
  // The save state says that something is missing yet: a field that was not reached yet says nothing.
  const problem = problems.find((each) => each.path === path && each.rule !== 'required')
  return problem && say(problem)
}

/** Of one block. */
export function useProblemsOf(key: string): readonly CurrentProblem[] {
  const { problems, typed } = useEditor()
  if (typed.kind !== 'content') return []
  return problems.filter(({ block }) => block === key)
}

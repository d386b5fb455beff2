/** Whether what is typed is saved, since when, and what stands in the way. */
import { Anchor, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { sayWhat } from '../../../parts/refusal-words.ts'
import type { DraftSaverState } from './draft-saver.ts'

export function SaveState({ state, onRetry }: { state: DraftSaverState; onRetry: () => void }) {
  const { t } = useTranslation('drafts')
  const { t: shell } = useTranslation('shell')
  if (state.conflict) return <Text component="span">{t('waitsForChoice')}</Text>
  if (state.phase === 'unsaved' && state.error)
    return (
      <Text component="span" c="red.8" role="alert">
        {t('notSaved', { why: sayWhat(state.error, shell) })}{' '}
        <Anchor component="button" type="button" size="sm" onClick={onRetry}>
          {t('saveAgain')}
        </Anchor>
      </Text>
    )
  const word = state.phase === 'saved' ? (state.problems.length > 0 ? 'savedUnfinished' : 'saved') : 'saving'
  return (
    <Text component="span" c="dimmed" data-save-state={state.phase}>
      {t(word, { count: state.problems.length })}
    </Text>
  )
}

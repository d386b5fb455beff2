/**
 * Pauses without a question: a pause does no harm, and nobody can recall mail that leaves during a
 * question.
 */
import { useTranslation } from 'react-i18next'
import { notifyRefused } from '../../../api/notify.ts'
import { refusalCode } from '../../../api/refusal.ts'
import { sayWhat } from '../../../api/refusal-words.ts'
import { useAct } from '../../../api/use-ask.ts'
import { useRefresh } from './use-refresh.ts'

export function usePause(id: string): { pause: () => void; pausing: boolean } {
  const { t } = useTranslation('run')
  const { t: shell } = useTranslation('shell')
  const refresh = useRefresh()
  const { mutate, isPending: pausing } = useAct('pauseCampaign', { done: t('done_pause') })
  const onError = (refusal: Error): void =>
    notifyRefused(refusalCode(refusal) === 'conflict' ? t('pauseTooLate') : sayWhat(refusal, shell))
  return {
    pause: () =>
      pausing || mutate({ params: { id } }, { onError, onSettled: () => void refresh() }),
    pausing,
  }
}

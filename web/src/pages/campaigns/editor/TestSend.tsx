/** Sends one copy to the user who asks, once what is typed is saved and finished. */
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../api/use-ask.ts'
import { IconButton } from '../../../parts/IconButton.tsx'
import { notifyDone } from '../../../parts/notify.ts'
import { useNotifyRefused } from '../../../parts/use-notify-refused.ts'
import { useWork } from '../../../parts/use-work.ts'
import type { DraftSaverState } from './draft-saver.ts'

interface TestSendProps {
  id: string
  state: DraftSaverState
  saveNow: () => Promise<boolean>
}

export function TestSend({ id, state, saveNow }: TestSendProps) {
  const { t } = useTranslation('drafts')
  const notifyRefused = useNotifyRefused()
  const { isBusy, start } = useWork()
  const { mutateAsync } = useAct('sendDraftTest')
  const isUnfinished = state.phase === 'saved' && state.problems.length > 0
  const send = async (): Promise<void> => {
    if (await saveNow()) notifyDone(t('testSent', { to: (await mutateAsync({ params: { id } })).to }))
  }
  return (
    <IconButton
      variant="default"
      icon="send"
      label={t('sendTest')}
      loading={isBusy}
      disabled={isUnfinished}
      title={isUnfinished ? t('testNeedsFinished') : undefined}
      onClick={() => start(() => send().catch(notifyRefused))}
    />
  )
}

/** The button sends a test mail of the draft to the user. */
import { useTranslation } from 'react-i18next'
import { notifyDone, useNotifyRefused } from '../../../api/notify.ts'
import { useAct } from '../../../api/use-ask.ts'
import { IconButton } from '../../../parts/IconButton.tsx'
import { useWork } from '../../../parts/use-work.ts'
import type { DraftSaverState } from './draft-saver.ts'

/** The test mail leaves once the draft is saved and finished. */
export function TestSend({
  id,
  state,
  saveNow,
}: {
  id: string
  state: DraftSaverState
  saveNow: () => Promise<boolean>
}) {
  const { t } = useTranslation('drafts')
  const notifyRefused = useNotifyRefused()
  const { isBusy, start } = useWork()
  const { mutateAsync } = useAct('sendDraftTest')
  const isUnfinished = state.phase === 'saved' && state.problems.length > 0
  const sendToMe = async (): Promise<string> =>
    (await mutateAsync({ params: { id }, body: {} })).data.map(({ to }) => to).join(', ')
  const send = async (): Promise<void> => {
    if (await saveNow()) notifyDone(t('testSent', { to: await sendToMe() }))
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

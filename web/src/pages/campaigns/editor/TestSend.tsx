/** Sends one copy to the user who asks, once what is typed is saved and finished. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../api/use-ask.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { notifyDone } from '../../../parts/notify.ts'
import { useNotifyRefused } from '../../../parts/use-notify-refused.ts'
import type { DraftSaverState } from './draft-saver.ts'

interface TestSendProps {
  id: string
  state: DraftSaverState
  saveNow: () => Promise<boolean>
}

export function TestSend({ id, state, saveNow }: TestSendProps) {
  const { t } = useTranslation('drafts')
  const notifyRefused = useNotifyRefused()
  const [busy, setBusy] = useState(false)
  const { mutateAsync } = useAct('sendDraftTest')
  const isUnfinished = state.phase === 'saved' && state.problems.length > 0
  const send = async (): Promise<void> => {
    setBusy(true)
    try {
      if (await saveNow()) notifyDone(t('testSent', { to: (await mutateAsync({ params: { id } })).to }))
    } catch (error) {
      notifyRefused(error)
    }
    setBusy(false)
  }
  return (
    <Button
      variant="default"
      leftSection={<Icon name="send" size={16} />}
      loading={busy}
      disabled={isUnfinished}
      title={isUnfinished ? t('testNeedsFinished') : undefined}
      onClick={() => void send()}
    >
      {t('sendTest')}
    </Button>
  )
}

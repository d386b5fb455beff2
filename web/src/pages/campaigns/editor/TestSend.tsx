/** Sends one copy to the person who asks, once what is typed is saved and finished. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../api/use-ask.ts'
import { sayWhat } from '../../../parts/refusal-words.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { notifyDone, notifyRefused } from '../../../parts/notify.ts'
import type { DraftSaverState } from './draft-saver.ts'

interface TestSendProps {
  id: string
  state: DraftSaverState
  saveNow: () => Promise<boolean>
}

export function TestSend({ id, state, saveNow }: TestSendProps): ReactNode {
  const { t } = useTranslation('drafts')
  const { t: shell } = useTranslation('shell')
  const [busy, setBusy] = useState(false)
  const { mutateAsync } = useAct('sendDraftTest')
  const isUnfinished = state.phase === 'saved' && state.problems.length > 0
  const send = async (): Promise<void> => {
    setBusy(true)
    try {
      if (await saveNow()) notifyDone(t('testSent', { to: (await mutateAsync({ params: { id } })).to }))
    } catch (error) {
      notifyRefused(sayWhat(error, shell))
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

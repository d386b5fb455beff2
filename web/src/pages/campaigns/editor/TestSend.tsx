/** Sends one copy to the person who asks, once what is typed is saved and finished. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../api/use-ask.ts'
import { sayWhat } from '../../../parts/refusal-words.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { tellDone, tellRefused } from '../../../parts/tell.ts'
import type { KeeperState } from './draft-keeper.ts'

interface TestSendProps {
  id: string
  state: KeeperState
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
      if (await saveNow()) tellDone(t('testSent', { to: (await mutateAsync({ params: { id } })).to }))
    } catch (error) {
      tellRefused(sayWhat(error, shell))
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

/** One press sends a test to the signed-in user, and its timeline appears below the button. */
import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { randomKey } from '../../parts/random-key.ts'
import classes from './FirstMail.module.css'
import { SendProgress } from './SendProgress.tsx'

interface SendToMeProps {
  from: string
  to: string
  captures: boolean
}

export function SendToMe({ from, to, captures }: SendToMeProps) {
  const { t } = useTranslation('overview')
  // The same key until a send is accepted: a second press after a lost answer sends nothing more.
  const [key, setKey] = useState(randomKey)
  const send = useAct('sendEmail', { refresh: ['getOverview', 'listMessages'] })
  const press = (): void =>
    send.mutate(
      {
        headers: { 'idempotency-key': key },
        body: { from, to, subject: t('testSubject'), text: t('testText') },
      },
      { onSuccess: () => setKey(randomKey()) },
    )
  return (
    <Stack gap="md" align="flex-start">
      <Text>{t(captures ? 'firstMailCaptured' : 'firstMailWhy')}</Text>
      <Button
        className={classes.send}
        classNames={{ label: classes.address ?? '' }}
        leftSection={<Icon name="send" size={16} />}
        loading={send.isPending}
        onClick={press}
      >
        {t('sendTestTo', { email: to })}
      </Button>
      <Failure error={send.error} />
      {send.data && <SendProgress key={send.data.id} id={send.data.id} captures={captures} />}
    </Stack>
  )
}

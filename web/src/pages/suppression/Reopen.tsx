/** Takes an address off the list by hand: what that does and does not do is said, and why it is done is asked. */
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { notifyDone } from '../../parts/notify.ts'

export function Reopen({ email }: { email: string }): ReactNode {
  const { t } = useTranslation('suppression')
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" size="xs" onClick={open} aria-label={`${t('reopen')}: ${email}`}>
        {t('reopen')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('reopenWhom', { email })}>
        {opened && <Form email={email} onClose={close} />}
      </Modal>
    </>
  )
}

function Form({ email, onClose }: { email: string; onClose: () => void }): ReactNode {
  const { t } = useTranslation('suppression')
  const [reason, setReason] = useState('')
  const act = useAct('reopenAddress', { refresh: ['listSuppression'] })
  const submit = (): void =>
    act.mutate(
      { body: { email, reason: reason.trim() } },
      {
        onSuccess: (done) => {
          onClose()
          notifyDone(done.still_closed_by_platform ? t('reopenedYetClosed') : t('reopened', { email }))
        },
      },
    )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <Text size="sm">{t('reopenWhat')}</Text>
        <Text size="sm">{t('reopenNot')}</Text>
        <Textarea
          label={t('reopenReason')}
          description={t('reopenReasonWhy')}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={500}
          autosize
          minRows={2}
          required
          data-autofocus
        />
        <Failure error={act.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" color="red.8" loading={act.isPending} disabled={reason.trim().length < 3}>
            {t('reopenNow')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

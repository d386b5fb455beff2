/** Closes one address by hand. */
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { SuppressionReason } from '../../../../src/contract/suppression.ts'
import { useAct } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { reasonKeys, reasons } from './words.ts'

export function AddAddress(): ReactNode {
  const { t } = useTranslation('suppression')
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button onClick={open} leftSection={<Icon name="plus" size={16} />}>
        {t('add')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('add')}>
        {opened && <Form onClose={close} />}
      </Modal>
    </>
  )
}

function Form({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation('suppression')
  const [email, setEmail] = useState('')
  const [reason, setReason] = useState<SuppressionReason>('manual')
  const act = useAct('addSuppression', { refresh: ['listSuppression'] })
  const submit = (): void =>
    act.mutate(
      { body: { email: email.trim(), reason } },
      {
        onSuccess: (entry) => {
          onClose()
          notifyDone(t('added', { email: entry.email }))
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
        <Text size="sm">{t('addWhat')}</Text>
        <TextInput
          label={t('address')}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          inputMode="email"
          autoComplete="off"
          required
          data-autofocus
        />
        <NativeSelect
          label={t('reason')}
          value={reason}
          onChange={(event) => setReason(reasons.find((known) => known === event.currentTarget.value) ?? 'manual')}
          data={reasons.map((value) => ({ value, label: t(reasonKeys[value]) }))}
        />
        <Failure error={act.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={act.isPending} disabled={email.trim() === ''}>
            {t('addNow')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

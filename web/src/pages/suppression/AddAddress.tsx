/** Suppresses one address by hand. */
import { Button, NativeSelect, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { SuppressionReason } from '../../../../src/contract/suppression.ts'
import { useAct } from '../../api/use-ask.ts'
import { FormDialog, type DialogProps } from '../../parts/FormDialog.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { listReads, reasons } from './words.ts'

const initial: { email: string; reason: SuppressionReason } = { email: '', reason: 'manual' }

export function AddAddress() {
  const { t } = useTranslation('suppression')
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button onClick={open} leftSection={<Icon name="plus" size={16} />}>
        {t('add')}
      </Button>
      <SuppressAddress opened={opened} onClose={close} />
    </>
  )
}

export function SuppressAddress(dialog: DialogProps) {
  const { t } = useTranslation('suppression')
  const { mutateAsync } = useAct('addSuppression', {
    refresh: listReads,
    done: ({ email }) => t('added', { email }),
  })
  return (
    <FormDialog
      {...dialog}
      title={t('add')}
      verb={t('addNow')}
      initial={initial}
      isReady={({ email }) => email.trim() !== ''}
      onSubmit={({ email, reason }) => mutateAsync({ body: { email: email.trim(), reason } })}
    >
      {(form) => (
        <>
          <Text>{t('addWhat')}</Text>
          <TextInput
            label={t('address')}
            {...form.text('email')}
            inputMode="email"
            autoComplete="off"
            required
            data-autofocus
          />
          <NativeSelect
            label={t('reason')}
            {...form.text('reason')}
            data={reasons.map((value) => ({ value, label: t(keyOf('reason', value)) }))}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Gives the secret to the person's app, as a picture and as letters, and takes a first code. */
import { Anchor, Button, Center, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { refusalCode } from '../../api/refusal.ts'
import { useAct } from '../../api/use-ask.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { CodeField } from './CodeField.tsx'
import { QrCode } from './QrCode.tsx'

interface BeginCodesProps {
  opened: boolean
  onClose: () => void
  /** With the recovery codes, once the first code was right. */
  onDone: (codes: string[]) => void
}

export function BeginCodes(props: BeginCodesProps): ReactNode {
  const { t } = useTranslation('people')
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={t('beginCodes')}>
      {props.opened && <Steps {...props} />}
    </Modal>
  )
}

function Steps({ onDone }: BeginCodesProps): ReactNode {
  const { t } = useTranslation('people')
  const { mutate, data, error } = useAct('beginTotp')
  const confirm = useAct('confirmTotp', { refresh: ['getWaysIn'] })
  const [code, setCode] = useState('')
  useEffect(() => mutate({}), [mutate])
  if (error) return <Failure error={error} retry={() => mutate({})} />
  if (!data) {
    return (
      <Center p="lg">
        <Loader />
      </Center>
    )
  }
  const submit = async (): Promise<void> => onDone((await confirm.mutateAsync({ body: { code } })).codes)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit().catch(() => undefined)
      }}
    >
      <Stack>
        <Text size="sm">{t('scanThis')}</Text>
        <Center>
          <QrCode text={data.uri} label={t('qrCode')} />
        </Center>
        <Text size="sm">
          {t('orType')} <Anchor href={data.uri}>{t('openApp')}</Anchor>
        </Text>
        <CopyField value={data.secret} label={t('secret')} wrap />
        <CodeField value={code} onChange={setCode} description={t('firstCode')} />
        {refusalCode(confirm.error) === 'wrong_credentials' ? (
          <Text size="sm" c="red.8" role="alert">
            {t('wrongCode')}
          </Text>
        ) : (
          <Failure error={confirm.error} />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={confirm.isPending}>
            {t('switchOn')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

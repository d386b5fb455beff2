/** Gives the secret to the user's app, as a picture and as letters, and takes a first code. */
import { Anchor, Center, Loader, Text } from '@mantine/core'
import { useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { refusalCode } from '../../api/refusal.ts'
import { useAct } from '../../api/use-ask.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Form } from '../../parts/Form.tsx'
import { Dialog, type DialogProps } from '../../parts/FormDialog.tsx'
import { useForm } from '../../parts/use-form.ts'
import { CodeField } from './CodeField.tsx'
import { encode } from 'uqr'

/** `onDone` gets the recovery codes, once the first code was right. */
export function BeginCodes({
  onDone,
  ...dialog
}: DialogProps & { onDone: (codes: string[]) => void }) {
  const { t } = useTranslation('users')
  return (
    <Dialog {...dialog} title={t('beginCodes')}>
      <Steps onDone={onDone} />
    </Dialog>
  )
}

function Steps({ onDone }: { onDone: (codes: string[]) => void }) {
  const { t } = useTranslation('users')
  const { mutate, data, error } = useAct('beginTotp')
  const confirm = useAct('confirmTotp', { refresh: ['getWaysIn'] })
  const form = useForm({ code: '' }, async (body) =>
    onDone((await confirm.mutateAsync({ body })).codes),
  )
  useEffect(() => mutate({}), [mutate])
  if (error) return <Failure error={error} retry={() => mutate({})} />
  if (!data)
    return (
      <Center p="lg">
        <Loader />
      </Center>
    )
  const wrongCode = refusalCode(form.error) === 'wrong_credentials' && (
    <Text c="red.9" role="alert">
      {t('wrongCode')}
    </Text>
  )
  return (
    <Form form={form} verb={t('switchOn')} failure={wrongCode || undefined}>
      <Text>{t('scanThis')}</Text>
      <Center>
        <QrCode text={data.uri} label={t('qrCode')} />
      </Center>
      <Text>
        {t('orType')} <Anchor href={data.uri}>{t('openApp')}</Anchor>
      </Text>
      <CopyField value={data.secret} label={t('secret')} wrap />
      <CodeField {...form.pick('code')} description={t('firstCode')} />
    </Form>
  )
}

/** Light squares around it (ISO/IEC 18004 6.3.8). */
const margin = 4

/**
 * A text as a picture that a phone reads: dark on light whatever the theme, with the margin that
 * readers need.
 */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = useMemo(() => encode(text, { ecc: 'M', border: margin }), [text])
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={220}
      height={220}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

/** Sends the same content and files once more, to those who are chosen. */
import { Button, Modal, Stack, Text, Textarea, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { problemsWithin } from '../../parts/field-problem.ts'
import { Icon } from '../../parts/Icon.tsx'
import { usePlace } from '../../parts/links.tsx'
import { notifyDone } from '../../parts/notify.ts'

type Message = Got<'getMessage'>

export function SendAgain({ message }: { message: Message }): ReactNode {
  const { t } = useTranslation('emails')
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button onClick={open} leftSection={<Icon name="send" size={16} />}>
        {t('sendAgain')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('sendAgain')}>
        {opened && <Form message={message} onClose={close} />}
      </Modal>
    </>
  )
}

function Form({ message, onClose }: { message: Message; onClose: () => void }): ReactNode {
  const { t } = useTranslation('emails')
  const place = usePlace()
  const navigate = useNavigate()
  const [to, setTo] = useState(() => firstChoice(message).join('\n'))
  // One for what is asked: a second press sends nothing more.
  const [key, setKey] = useState(randomKey)
  const act = useAct('sendMessageAgain', { refresh: ['listMessages'] })
  const addresses = to.split(/[\n,;]/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  // Those that were sent stand in the refusal by their number; what is typed since is judged by the next press.
  const problem = problemsWithin(act.error, 'to', act.variables?.body.to ?? [], t)
  const submit = (): void =>
    act.mutate(
      { params: { id: message.id }, body: { to: addresses, idempotency_key: key } },
      {
        onSuccess: ({ id }) => {
          onClose()
          notifyDone(t('sentAgain'))
          void navigate({ to: place(`emails/${id}`) })
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
        <Text size="sm">{t('sendAgainWhat', { count: message.files.length })}</Text>
        <Textarea
          label={t('sendAgainTo')}
          description={t('sendAgainToWhy')}
          value={to}
          onChange={(event) => {
            setTo(event.currentTarget.value)
            setKey(randomKey())
          }}
          error={problem}
          autosize
          minRows={2}
          maxRows={8}
          data-autofocus
          required
        />
        {problem === null && <Failure error={act.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={act.isPending} disabled={addresses.length === 0}>
            {t('sendAgainNow', { count: addresses.length })}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Those whom it did not reach, and who may be written to; else everybody. */
function firstChoice({ recipients }: Message): string[] {
  const missed = recipients.filter(({ status }) => status === 'failed')
  return (missed.length > 0 ? missed : recipients).map(({ email }) => email)
}

/** Also where the page came without TLS, and browsers make no UUID. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((octet) => octet.toString(16).padStart(2, '0')).join('')

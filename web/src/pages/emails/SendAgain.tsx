/** Sends the same content and files again, to the recipients that the user chooses. */
import { Button, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct } from '../../api/use-ask.ts'
import { problemsWithin } from '../../api/field-problem.ts'
import { Form } from '../../parts/Form.tsx'
import { Dialog } from '../../parts/FormDialog.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useGo } from '../../parts/links.tsx'
import { randomKey } from '../../parts/random-key.ts'
import { useForm } from '../../parts/use-form.ts'

type Message = Got<'getMessage'>

export function SendAgain({ message }: { message: Message }) {
  const { t } = useTranslation('emails')
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button onClick={open} leftSection={<Icon name="send" size={16} />}>
        {t('sendAgain')}
      </Button>
      <Dialog opened={opened} onClose={close} title={t('sendAgain')}>
        <Question message={message} onClose={close} />
      </Dialog>
    </>
  )
}

function Question({ message, onClose }: { message: Message; onClose: () => void }) {
  const { t } = useTranslation('emails')
  const go = useGo()
  const { mutateAsync, variables } = useAct('sendMessageAgain', {
    refresh: ['listMessages'],
    done: t('sentAgain'),
  })
  const [initial] = useState(() => ({
    to: firstChoice(message).join('\n'),
    idempotency_key: randomKey(),
  }))
  const form = useForm(initial, async ({ to, idempotency_key: key }) => {
    const { id } = await mutateAsync({
      params: { id: message.id },
      body: { to: addressesIn(to), idempotency_key: key },
    })
    onClose()
    await go(`emails/${id}`)
  })
  const count = addressesIn(form.values.to).length
  // The refusal names the sent addresses by their number; the next press checks later changes.
  const problem = problemsWithin(form.error, 'to', variables?.body.to ?? [])
  return (
    <Form
      form={{ ...form, isAtField: problem !== null }}
      verb={t('sendAgainNow', { count })}
      disabled={count === 0}
      onCancel={onClose}
    >
      <Text>{t('sendAgainWhat', { count: message.files.length })}</Text>
      <Textarea
        label={t('sendAgainTo')}
        description={t('sendAgainToWhy')}
        value={form.values.to}
        // The idempotency key belongs to these values: a second press sends nothing more.
        onChange={(event) =>
          form.set({ to: event.currentTarget.value, idempotency_key: randomKey() })
        }
        error={problem}
        maxRows={8}
        data-autofocus
        required
      />
    </Form>
  )
}

const addressesIn = (text: string): string[] =>
  text.split(/[\n,;]/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))

/** Returns the recipients for whom the mail failed; without any, all recipients. */
function firstChoice({ recipients }: Message): string[] {
  const missed = recipients.filter(({ status }) => status === 'failed')
  return (missed.length > 0 ? missed : recipients).map(({ email }) => email)
}

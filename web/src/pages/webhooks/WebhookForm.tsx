/**
 * The form edits a webhook's name, URL and event types, and checks the URL while the user types it.
 */
import { eventTypes, limits } from 'virtual:contract'
import { Button, Checkbox, Collapse, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { EventType } from '../../../../src/contract/events.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Code } from '../../parts/Code.tsx'
import { Form } from '../../parts/Form.tsx'
import { useForm } from '../../parts/use-form.ts'
import { keyOf } from '../../parts/key-of.ts'
import { sayEvent } from './words.ts'

interface WebhookWords {
  name: string
  url: string
  events: EventType[]
}

interface WebhookFormProps {
  before: WebhookWords
  verb: string
  onSubmit: (words: WebhookWords) => Promise<unknown>
}

export function WebhookForm({ before: { name, url, events }, verb, onSubmit }: WebhookFormProps) {
  const { t } = useTranslation('webhooks')
  const [wasSent, setWasSent] = useState(false)
  const form = useForm({ name, url, events }, (values) =>
    onSubmit({ ...values, name: values.name.trim(), url: values.url.trim() }),
  )
  const typed = form.text('url')
  const urlProblem = useUrlProblem(typed.value)
  const isMissing = { url: typed.value.trim() === '', events: form.values.events.length === 0 }
  const submit = (): void => {
    setWasSent(true)
    if (!isMissing.url && !isMissing.events && urlProblem === null) form.submit()
  }
  return (
    <Form form={{ ...form, submit }} verb={verb} button="start" maw={720} gap="lg" noValidate>
      <TextInput
        type="url"
        label={t('url')}
        description={t('urlWhy')}
        placeholder="https://shop.example/hooks/facteur"
        required
        autoComplete="off"
        spellCheck={false}
        {...typed}
        error={urlProblem ?? (wasSent && isMissing.url ? t('urlMissing') : typed.error)}
      />
      <TextInput
        label={t('name')}
        description={t('nameWhy')}
        maxLength={limits.webhookNameMax}
        autoComplete="off"
        {...form.text('name')}
      />
      <EventChoice
        {...form.pick('events')}
        error={wasSent && isMissing.events && t('eventsMissing')}
      />
    </Form>
  )
}

/**
 * Explains why the service would not call the URL. Null if it would, or the user has typed nothing
 * yet.
 */
function useUrlProblem(url: string): string | null {
  const { t } = useTranslation('webhooks')
  const [typed] = useDebouncedValue(url.trim(), 300)
  const { data } = useAsk('checkWebhookUrl', { query: { url: typed } }, { enabled: typed !== '' })
  return data?.refusal && typed === url.trim() ? t(keyOf('failure', data.refusal)) : null
}

function EventChoice({
  value,
  onChange,
  error,
}: {
  value: EventType[]
  onChange: (events: EventType[]) => void
  error: ReactNode
}) {
  const { t } = useTranslation('webhooks')
  return (
    <Checkbox.Group<EventType>
      label={t('events')}
      description={t('eventsWhy')}
      required
      value={value}
      onChange={onChange}
      error={error}
    >
      <Stack gap="sm" mt="sm">
        {eventTypes.map((type) => (
          <OneEvent key={type} type={type} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

/** Shows an event type with its meaning and an example of its body. */
function OneEvent({ type }: { type: EventType }) {
  const { t } = useTranslation('webhooks')
  const [opened, { toggle }] = useDisclosure(false)
  const { data } = useAsk('listEventKinds')
  const example = data?.kinds.find((kind) => kind.type === type)?.example
  return (
    <div>
      <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
        <Checkbox
          value={type}
          label={
            <Text ff="monospace" component="span">
              {type}
            </Text>
          }
          description={sayEvent(type, t)}
        />
        <Button
          variant="subtle"
          size="compact-xs"
          flex="none"
          aria-expanded={opened}
          aria-label={t('exampleOf', { type })}
          onClick={toggle}
        >
          {t('example')}
        </Button>
      </Group>
      <Collapse expanded={opened} keepMounted={false}>
        <Stack mt="xs">
          {example !== undefined && <Code label={t('exampleOf', { type })}>{example}</Code>}
        </Stack>
      </Collapse>
    </div>
  )
}

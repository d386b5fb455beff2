/** What a webhook is made of: its name, where events go, and which; the URL is judged as it is typed. */
import { Button, Checkbox, Collapse, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { EventType } from '../../../../src/contract/events.ts'
import type { Given } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Code } from '../../parts/Code.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { eventTypes, sayEvent, sayUrlRefusal } from './words.ts'

export interface WebhookWords {
  name: string
  url: string
  events: EventType[]
}

interface WebhookFormProps {
  before: WebhookWords
  verb: string
  error: unknown
  busy: boolean
  onSubmit: (words: Required<Pick<Given<'createWebhook'>['body'], 'name' | 'url' | 'events'>>) => void
}

export function WebhookForm({ before, verb, error, busy, onSubmit }: WebhookFormProps): ReactNode {
  const { t } = useTranslation('webhooks')
  const [name, setName] = useState(before.name)
  const [url, setUrl] = useState(before.url)
  const [events, setEvents] = useState(before.events)
  const [wasSent, setWasSent] = useState(false)
  const urlProblem = useUrlProblem(url)
  const missing = { url: url.trim() === '' && t('urlMissing'), events: events.length === 0 && t('eventsMissing') }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setWasSent(true)
        if (!missing.url && !missing.events && urlProblem === null) onSubmit({ name: name.trim(), url: url.trim(), events })
      }}
    >
      <Stack maw={720} gap="lg">
        <TextInput
          type="url"
          label={t('url')}
          description={t('urlWhy')}
          placeholder="https://shop.example/hooks/facteur"
          required
          autoComplete="off"
          spellCheck={false}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={urlProblem ?? (wasSent && missing.url)}
        />
        <TextInput
          label={t('name')}
          description={t('nameWhy')}
          maxLength={80}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <EventChoice value={events} onChange={setEvents} error={wasSent && missing.events} />
        <Failure error={error} />
        <Group>
          <Button type="submit" loading={busy}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Why the URL would not be called, in words; null: it would be, or nothing is typed yet. */
function useUrlProblem(url: string): string | null {
  const { t } = useTranslation('webhooks')
  const [typed] = useDebouncedValue(url.trim(), 300)
  const { data } = useAsk('checkWebhookUrl', { query: { url: typed } }, { enabled: typed !== '' })
  return data?.refusal && typed === url.trim() ? sayUrlRefusal(data.refusal, t) : null
}

function EventChoice({
  value,
  onChange,
  error,
}: {
  value: EventType[]
  onChange: (events: EventType[]) => void
  error: ReactNode
}): ReactNode {
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

/** A type with what it tells of, and a body as it comes. */
function OneEvent({ type }: { type: EventType }): ReactNode {
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
            <Text ff="monospace" size="sm" component="span">
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
        <Stack mt="xs">{example !== undefined && <Code label={t('exampleOf', { type })}>{example}</Code>}</Stack>
      </Collapse>
    </div>
  )
}

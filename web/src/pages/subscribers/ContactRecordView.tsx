/** The section shows the workspace's record of a subscriber, whose names, tags and fields are edited in place. */
import { Badge, Card, Group, SimpleGrid, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import type { SubscriberDetail } from '../../../../src/contract/subscribers.ts'
import type { CallInput } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { FieldInput } from './FieldInput.tsx'
import { InPlace } from './InPlace.tsx'
import { TagField } from './RecordFields.tsx'
import type { KnownContact } from './words.ts'

interface ContactRecord {
  subscriber: SubscriberDetail
  last: KnownContact['last_engagement']
}

export function ContactRecordView({ subscriber, last }: ContactRecord) {
  const { t } = useTranslation('subscribers')
  return (
    <Section size="h4" title={t('record')}>
      <Card withBorder>
        <SimpleGrid component="dl" m={0} cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
          <EditableFacts subscriber={subscriber} />
          <Facts subscriber={subscriber} last={last} />
        </SimpleGrid>
      </Card>
    </Section>
  )
}

/** What happened to the contact, and what they chose themselves. */
function Facts({ subscriber, last }: ContactRecord) {
  const { t } = useTranslation('subscribers')
  const { language, topics } = subscriber
  const { confirmed_at: confirmedAt, unsubscribed_at: unsubscribedAt } = subscriber
  const facts: [label: string, fact: ReactNode][] = [
    [t('source'), t(keyOf('source', subscriber.source))],
    [t('since'), <Moment key="since" at={subscriber.created_at} />],
  ]
  if (confirmedAt !== null)
    facts.push([t('confirmedAt'), <Moment key="confirmed" at={confirmedAt} />])
  if (unsubscribedAt !== null)
    facts.push([t('unsubscribedAt'), <Moment key="left" at={unsubscribedAt} />])
  for (const key of ['received_at', 'opened_at', 'clicked_at'] as const)
    if (last)
      facts.push([
        t(keyOf('last', key)),
        last[key] ? <Moment key={key} at={last[key]} /> : t('never'),
      ])
  if (language !== null) facts.push([t('contactLanguage'), t(`language_${language}`)])
  if (topics.length > 0) facts.push([t('topicsReceived'), namesOf(topics)])
  return facts.map(([label, fact]) => (
    <div key={label}>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0}>
        {fact}
      </Text>
    </div>
  ))
}

/** Only what changed is sent, so that two members do not undo each other. */
function EditableFacts({ subscriber }: Pick<ContactRecord, 'subscriber'>) {
  const { t } = useTranslation('subscribers')
  const { data } = useAsk('listSubscriberFields')
  const { mutateAsync } = useAct('editSubscriber', {
    refresh: ['getContact', 'listContactTimeline', 'listSubscribers', 'listSubscriberTags'],
    done: t('saved'),
  })
  const { id, tags, fields } = subscriber
  const save = (body: CallInput<'editSubscriber'>['body']) => mutateAsync({ params: { id }, body })
  return (
    <>
      {(['firstName', 'lastName'] as const).map((name) => (
        <InPlace
          key={name}
          label={t(name)}
          shown={subscriber[name] ?? '–'}
          value={subscriber[name] ?? ''}
          onSave={(value) => save({ [name]: value })}
        >
          {({ value, onChange }) => (
            <TextInput
              label={t(name)}
              value={value}
              maxLength={limits.subscriberNameMax}
              onChange={(event) => onChange(event.currentTarget.value)}
              autoFocus
            />
          )}
        </InPlace>
      ))}
      <InPlace
        label={t('tags')}
        shown={tags.length === 0 ? '–' : <TagLinks tags={tags} />}
        value={tags}
        onSave={(now) =>
          save({
            add_tags: now.filter((tag) => !tags.includes(tag)),
            remove_tags: tags.filter((tag) => !now.includes(tag)),
          })
        }
      >
        {(field) => <TagField label={t('tags')} {...field} />}
      </InPlace>
      {(data?.data ?? []).map((field) => (
        <InPlace
          key={field.key}
          label={field.label ?? field.key}
          shown={fields[field.key] ?? '–'}
          value={fields[field.key] ?? ''}
          onSave={(value) => save({ fields: { [field.key]: value } })}
        >
          {(input) => <FieldInput field={field} {...input} />}
        </InPlace>
      ))}
    </>
  )
}

/** Those that the contact gets. */
const namesOf = (topics: SubscriberDetail['topics']): string =>
  topics.flatMap(({ name, subscribed }) => (subscribed ? [name] : [])).join(', ') || '–'

function TagLinks({ tags }: { tags: string[] }) {
  return (
    <Group gap={6} component="span" display="inline-flex">
      {tags.map((tag) => (
        <PageLink key={tag} to="subscribers" search={{ tag }} underline="never">
          <Badge component="span" className="status" variant="light" tt="none" fw={500}>
            {tag}
          </Badge>
        </PageLink>
      ))}
    </Group>
  )
}

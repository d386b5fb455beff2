/** The section shows the workspace's record of a subscriber, whose names, tags and fields are edited in place. */
import { Card, SimpleGrid, Text, type SimpleGridProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { SubscriberDetail } from '../../../../src/contract/subscribers.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { EditableFacts } from './EditableFacts.tsx'
import type { KnownContact } from './words.ts'

interface ContactRecord {
  subscriber: SubscriberDetail
  last: KnownContact['last_engagement']
}

const wideCols = { base: 1, xs: 2, md: 3 }

export function ContactRecordView({
  subscriber,
  last,
  cols = wideCols,
}: ContactRecord & { cols?: SimpleGridProps['cols'] }) {
  const { t } = useTranslation('subscribers')
  return (
    <Section size="h4" title={t('record')}>
      <Card withBorder>
        <SimpleGrid component="dl" m={0} cols={cols} spacing="md">
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
    [t('source'), t(keyOf('source', subscriber.source), { defaultValue: subscriber.source })],
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
  if (language !== null)
    facts.push([t('contactLanguage'), t(`language_${language}`, { defaultValue: language })])
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

/** Those that the contact gets. */
const namesOf = (topics: SubscriberDetail['topics']): string =>
  topics.flatMap(({ name, subscribed }) => (subscribed ? [name] : [])).join(', ') || '–'

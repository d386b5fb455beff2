/** The section shows the workspace's record of a subscriber. */
import { Badge, Card, Group, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { SubscriberDetail } from '../../../../src/contract/subscribers.ts'
import { useAsk } from '../../api/use-ask.ts'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { fullName, type KnownContact } from './words.ts'

interface ContactRecord {
  subscriber: SubscriberDetail
  last: KnownContact['last_engagement']
}

export function ContactRecordView({ subscriber, last }: ContactRecord) {
  const { t } = useTranslation('subscribers')
  const { data } = useAsk('listSubscriberFields')
  const labelOf = (key: string): string =>
    data?.data.find((field) => field.key === key)?.label ?? key
  const {
    source,
    created_at: since,
    confirmed_at: confirmedAt,
    unsubscribed_at: unsubscribedAt,
    fields,
    tags,
    language,
    topics,
  } = subscriber
  const facts: [key: string, label: string, fact: ReactNode][] = [
    ['name', t('name'), fullName(subscriber) || '–'],
    ['source', t('source'), t(keyOf('source', source))],
    ['since', t('since'), <Moment key="since" at={since} />],
  ]
  if (confirmedAt !== null)
    facts.push(['confirmed', t('confirmedAt'), <Moment key="confirmed" at={confirmedAt} />])
  if (unsubscribedAt !== null)
    facts.push(['left', t('unsubscribedAt'), <Moment key="left" at={unsubscribedAt} />])
  if (last)
    for (const key of ['received_at', 'opened_at', 'clicked_at'] as const)
      facts.push([
        key,
        t(keyOf('last', key)),
        last[key] ? <Moment key={key} at={last[key]} /> : t('never'),
      ])
  for (const [key, value] of Object.entries(fields))
    facts.push([`field ${key}`, labelOf(key), value])
  if (language !== null) facts.push(['language', t('contactLanguage'), t(`language_${language}`)])
  if (topics.length > 0) facts.push(['topics', t('topicsReceived'), namesOf(topics)])
  facts.push(['tags', t('tags'), tags.length === 0 ? '–' : <TagLinks key="tags" tags={tags} />])
  return (
    <Section size="h4" title={t('record')}>
      <Card withBorder>
        <SimpleGrid component="dl" m={0} cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
          {facts.map(([key, label, fact]) => (
            <div key={key}>
              <Text component="dt" size="xs" c="dimmed">
                {label}
              </Text>
              <Text component="dd" m={0}>
                {fact}
              </Text>
            </div>
          ))}
        </SimpleGrid>
      </Card>
    </Section>
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

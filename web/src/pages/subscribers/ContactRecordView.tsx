/** What the workspace wrote down of a subscriber. */
import { Badge, Card, Group, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Subscriber } from '../../../../src/contract/subscribers.ts'
import { useAsk } from '../../api/use-ask.ts'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { fullName } from './words.ts'

export function ContactRecordView({ subscriber }: { subscriber: Subscriber }) {
  const { t } = useTranslation('subscribers')
  const { data } = useAsk('listSubscriberFields')
  const labelOf = (key: string): string => data?.data.find((field) => field.key === key)?.label ?? key
  return (
    <Section size="h4" title={t('record')}>
      <Card withBorder>
        <SimpleGrid component="dl" m={0} cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
          <Fact label={t('name')}>{fullName(subscriber) || '–'}</Fact>
          <Fact label={t('source')}>{t(keyOf('source', subscriber.source))}</Fact>
          <Fact label={t('since')}>
            <Moment at={subscriber.created_at} />
          </Fact>
          {subscriber.confirmed_at !== null && (
            <Fact label={t('confirmedAt')}>
              <Moment at={subscriber.confirmed_at} />
            </Fact>
          )}
          {subscriber.unsubscribed_at !== null && (
            <Fact label={t('unsubscribedAt')}>
              <Moment at={subscriber.unsubscribed_at} />
            </Fact>
          )}
          {Object.entries(subscriber.fields).map(([key, value]) => (
            <Fact key={key} label={labelOf(key)}>
              {value}
            </Fact>
          ))}
          <Fact label={t('tags')}>{subscriber.tags.length === 0 ? '–' : <TagLinks tags={subscriber.tags} />}</Fact>
        </SimpleGrid>
      </Card>
    </Section>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0}>
        {children}
      </Text>
    </div>
  )
}

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

/** Everything that happened to a contact in one list, newest first. */
import { Card, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ContactTimelineEntry } from '../../../../src/contract/workspace/contacts.ts'
import { isFirstPage, useList } from '../../api/use-ask.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { More } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { ConsentEntry } from './timeline/ConsentEntry.tsx'
import { EngagementEntry, MailEntry } from './timeline/MailEntries.tsx'
import classes from './rows.module.css'
import type { KnownContact } from './words.ts'

const pageSize = 30
/** Mail on its way changes its state: the first page is read again. */
const pollMs = 5_000

export function ContactTimeline({ contact, who }: { contact: KnownContact; who: string }) {
  const { t } = useTranslation('subscribers')
  const read = useList(
    'listContactTimeline',
    { params: { who }, query: { limit: pageSize } },
    { poll: (last) => (isFirstPage(last) ? pollMs : false) },
  )
  return (
    <Section size="h4" title={t('timeline')} about={t('timelineAbout')}>
      {read.error && <Failure error={read.error} retry={read.retry} />}
      {!read.error && !read.isLoading && read.items.length === 0 && (
        <Empty icon="user" title={t('noTimeline')} />
      )}
      {read.items.length > 0 && (
        <Card withBorder p={0}>
          <Stack component="ol" gap={0} m={0} p={0} aria-label={t('timeline')}>
            {read.items.map((entry) => (
              <Entry key={`${entry.kind} ${entry.id}`} entry={entry} />
            ))}
          </Stack>
        </Card>
      )}
      <More read={read} />
      <Waiting contact={contact} />
    </Section>
  )
}

function Entry({ entry }: { entry: ContactTimelineEntry }) {
  return (
    <Stack component="li" gap={4} px="md" py="sm" className={classes.row} display="flex">
      {entry.consent && <ConsentEntry consent={entry.consent} />}
      {entry.mail && <MailEntry mail={entry.mail} />}
      {entry.engagement && <EngagementEntry engagement={entry.engagement} />}
      <Change entry={entry} />
    </Stack>
  )
}

/** What has no evidence of its own: added, suppressed, edited by a member. */
function Change({
  entry: { kind, at, source, reason, parts, person: user },
}: {
  entry: ContactTimelineEntry
}) {
  const { t } = useTranslation('subscribers')
  if (kind !== 'added' && kind !== 'suppressed' && kind !== 'edited') return null
  const why = {
    added: source !== null && t(keyOf('cameBy', source), { defaultValue: source }),
    suppressed: reason !== null && t(keyOf('because', reason), { defaultValue: reason }),
    edited: user !== null && t('byMember', { person: user }),
  }[kind]
  return (
    <Text component="div">
      <strong>{t(keyOf('happened', kind))}</strong> {why}
      {' · '}
      <Moment at={at} exact />
      {parts !== null && (
        <Text size="xs" c="dimmed">
          {parts
            .split(', ')
            .map((part) => t(keyOf('part', part), { defaultValue: part }))
            .join(', ')}
        </Text>
      )}
    </Text>
  )
}

/** What did not happen: sign-ups that wait, and lines of files that were refused. */
function Waiting({
  contact: { sign_ups: signUps, import_refusals: refusals },
}: {
  contact: KnownContact
}) {
  const { t } = useTranslation('subscribers')
  return (
    <>
      {signUps > 0 && <Text>{t('signUpsWait', { count: signUps })}</Text>}
      {refusals.map(({ file, line, at }) => (
        <Text key={`${at} ${line}`}>
          {t('refusedByImport', { file, line })} <Moment at={new Date(at).toISOString()} />
        </Text>
      ))}
    </>
  )
}

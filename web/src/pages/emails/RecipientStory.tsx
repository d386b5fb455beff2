/**
 * The timeline shows each step of one recipient, with the mail server's answer explained and in its
 * own words.
 */
import { Box, Card, Group, Text, type TextProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Happening, MessageRecipient } from '../../../../src/contract/workspace/messages.ts'
import { Addressed } from '../../parts/Addressed.tsx'
import { CopyButton } from '../../parts/CopyField.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { RefusalNotice } from '../../parts/RefusalNotice.tsx'
import { sayElapsed } from '../../parts/say-time.ts'
import { Status, type Tone } from '../../parts/Status.tsx'
import classes from './Emails.module.css'
import { keyOf } from '../../parts/key-of.ts'
import { StateBadge, toneOf } from '../../parts/StateBadge.tsx'
import { UnsureAddress } from './UnsureAddress.tsx'
import { sayHow, sayWhy } from './words.ts'

const colours: Record<Tone, string> = {
  good: 'teal.7',
  bad: 'red.7',
  warning: 'yellow.7',
  busy: 'facteur',
  quiet: 'gray.6',
}

export function RecipientStory({
  recipient,
  only,
}: {
  recipient: MessageRecipient
  only: boolean
}) {
  const { t } = useTranslation('emails')
  const state = recipient.in_doubt ? 'in_doubt' : recipient.status
  const isSuppressed = ['bounced', 'complained', 'suppressed'].includes(recipient.status)
  return (
    <Card withBorder p="md" component="section" aria-label={recipient.email}>
      <Group gap="sm" mb="md">
        <Text size="md" fw={600} className={classes.names}>
          <bdi>
            <Addressed>{recipient.email}</Addressed>
          </bdi>
        </Text>
        <CopyButton value={recipient.email} label={recipient.email} />
        {recipient.kind !== 'to' && (
          <Status tone="quiet">{recipient.kind === 'cc' ? t('copy') : t('hiddenCopy')}</Status>
        )}
        {!only && <StateBadge t={t} prefix="status" state={state} />}
        {recipient.captured !== null && (
          <PageLink to={`captured/${recipient.captured}`} size="sm">
            {t('toCaptured')}
          </PageLink>
        )}
        {isSuppressed && (
          <PageLink to="suppression" search={{ email: recipient.email }} size="sm">
            {t('whySuppressed')}
          </PageLink>
        )}
      </Group>
      {recipient.refusal !== null && (
        <Box mb="md">
          <RefusalNotice refusal={recipient.refusal} />
        </Box>
      )}
      {!isSuppressed && isUnsure(recipient) && <UnsureAddress email={recipient.email} />}
      <ol className={classes.story}>
        {recipient.timeline.map((happening, at) => (
          // The service never inserts a step between two others.
          // oxlint-disable-next-line react/no-array-index-key
          <Step key={at} happening={happening} before={recipient.timeline[at - 1]} />
        ))}
      </ol>
    </Card>
  )
}

/**
 * A refusal whose words say neither that the address is dead nor what else is wrong, or a notice
 * that is not understood.
 */
const isUnsure = ({ bounce, reason, timeline }: MessageRecipient): boolean =>
  (bounce === 'other' && [null, undefined, 'refused'].includes(reason?.meaning)) ||
  timeline.findLastIndex(({ what }) => what === 'unread') >
    timeline.findLastIndex(({ visitor }) => visitor === 'person')

/** `AsItCame` shows words that others wrote, as they wrote them; without words it shows nothing. */
function AsItCame({
  text,
  ...rest
}: { text: string | null | undefined } & Pick<TextProps, 'c' | 'ff'>) {
  if (!text) return null
  return (
    <Text size="xs" className={classes.raw} {...rest}>
      <bdi>{text}</bdi>
    </Text>
  )
}

function Step({ happening, before }: { happening: Happening; before: Happening | undefined }) {
  const { t, i18n } = useTranslation('emails')
  const sinceMs = before && Date.parse(happening.at) - Date.parse(before.at)
  const how = sayHow(happening, t)
  // A complaint is the recipient's word, not a server's.
  const isAnswer = happening.what !== 'complained' && happening.answer?.text
  const means = isAnswer && happening.answer ? sayWhy(happening, t) : ''
  return (
    <li className={classes.step}>
      <Text
        size="md"
        component="span"
        className={classes.dot}
        c={colours[toneOf(happening.what)]}
        aria-hidden
      />
      <div>
        <Group gap="xs">
          <Text fw={550}>{t(keyOf('happened', happening.what))}</Text>
          <Text c="dimmed" component="span">
            <Moment at={happening.at} exact="seconds" />
          </Text>
          {sinceMs !== undefined && sinceMs > 0 && (
            <Text c="dimmed" data-since>
              {t('after', { time: sayElapsed(sinceMs, i18n.language) })}
            </Text>
          )}
          {happening.attempt !== null && happening.attempt > 1 && (
            <Text c="dimmed">{t('attemptNumber', { number: happening.attempt })}</Text>
          )}
        </Group>
        {how && <Text>{how}</Text>}
        {means && <Text>{means}</Text>}
        <AsItCame text={happening.answer?.text} c="dimmed" ff="monospace" />
        <AsItCame text={happening.link} ff="monospace" />
        <AsItCame text={happening.user_agent} c="dimmed" />
      </div>
    </li>
  )
}

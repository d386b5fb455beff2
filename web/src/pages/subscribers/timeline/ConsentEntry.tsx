/** What a contact was asked, answered or chose, with the words that the contact saw. */
import { Code, Collapse, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { ContactTimelineEntry } from '../../../../../src/contract/workspace/contacts.ts'
import { keyOf } from '../../../parts/key-of.ts'
import { PageLink } from '../../../parts/links.tsx'
import { Moment } from '../../../parts/Moment.tsx'

type Consent = NonNullable<ContactTimelineEntry['consent']>

export function ConsentEntry({ consent }: { consent: Consent }) {
  const { t } = useTranslation('subscribers')
  const {
    act,
    topic,
    source,
    at,
    person: user,
    ip,
    campaign,
    email_id: emailId,
    user_agent: userAgent,
  } = consent
  return (
    <>
      <Text component="div">
        <strong>{t(keyOf('act', act), { topic })}</strong>{' '}
        {t(keyOf(act === 'unsubscribed' || source === 'link' ? 'leftBy' : 'cameBy', source), {
          defaultValue: source,
        })}
        {user !== null && ` ${t('byMember', { person: user })}`}
        {' · '}
        <Moment at={at} exact />
      </Text>
      {campaign && (
        <Text>
          {t('leftCampaign')} <PageLink to={`campaigns/${campaign.id}`}>{campaign.name}</PageLink>
        </Text>
      )}
      {emailId !== null && (
        <Text>
          <PageLink to={`emails/${emailId}`}>{t('askingMail')}</PageLink>
        </Text>
      )}
      {(ip !== null || userAgent !== null) && (
        <Text size="xs" c="dimmed">
          {[ip, userAgent].filter(Boolean).join(' · ')}
        </Text>
      )}
      {consent.shown !== null && <Shown words={consent.shown} label={labelOf(act)} />}
    </>
  )
}

type WordsLabel = 'wordsSaid' | 'wordsReason' | 'wordsShown'

/** Members vouch for a consent, or say why they unsubscribe somebody. */
const labelOf = (act: Consent['act']): WordsLabel =>
  act === 'registered' ? 'wordsSaid' : act === 'unsubscribed' ? 'wordsReason' : 'wordsShown'

/** Long as they are: a confirmation mail, or the page with the button. */
const foldedFrom = 160

function Shown({ words, label }: { words: string; label: WordsLabel }) {
  const { t } = useTranslation('subscribers')
  const [opened, { toggle }] = useDisclosure(words.length < foldedFrom)
  const id = useId()
  return (
    <div>
      <UnstyledButton
        onClick={toggle}
        aria-expanded={opened}
        aria-controls={id}
        fz="sm"
        td="underline"
      >
        {t(label)}
      </UnstyledButton>
      <Collapse expanded={opened} id={id}>
        <Code block mt={4} style={{ whiteSpace: 'pre-wrap' }}>
          {words}
        </Code>
      </Collapse>
    </div>
  )
}

/** The section shows how the contact consented, with the words that the contact saw. */
import { Card, Code, Collapse, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import classes from './rows.module.css'
import { keyOf } from '../../parts/key-of.ts'
import { type KnownContact } from './words.ts'

type Consent = KnownContact['consents'][number]

export function ConsentEvidence({
  contact: { consents, sign_ups: signUps, import_refusals: refusals },
}: {
  contact: KnownContact
}) {
  const { t } = useTranslation('subscribers')
  return (
    <Section size="h4" title={t('evidence')} about={t('evidenceAbout')}>
      {consents.length === 0 && <Text>{t('noEvidence')}</Text>}
      {consents.length > 0 && (
        <Card withBorder padding={0}>
          <Stack component="ol" gap={0} m={0} p={0}>
            {consents.map((consent) => (
              <Act key={`${consent.at} ${consent.act} ${consent.topic}`} consent={consent} />
            ))}
          </Stack>
        </Card>
      )}
      {signUps > 0 && <Text>{t('signUpsWait', { count: signUps })}</Text>}
      {refusals.map(({ file, line, at }) => (
        <Text key={`${at} ${line}`}>
          {t('refusedByImport', { file, line })} <Moment at={new Date(at).toISOString()} />
        </Text>
      ))}
    </Section>
  )
}

function Act({ consent }: { consent: Consent }) {
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
    <Stack component="li" gap={4} px="md" py="sm" className={classes.row} display="flex">
      <Text component="div">
        <strong>{t(keyOf('act', act), { topic })}</strong>{' '}
        {t(keyOf(act === 'unsubscribed' || source === 'link' ? 'leftBy' : 'cameBy', source))}
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
      {consent.shown !== null && <Shown words={consent.shown} isSaid={act === 'registered'} />}
    </Stack>
  )
}

/** Long as they are: a confirmation mail, or the page with the button. */
const foldedFrom = 160

function Shown({ words, isSaid }: { words: string; isSaid: boolean }) {
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
        {isSaid ? t('wordsSaid') : t('wordsShown')}
      </UnstyledButton>
      <Collapse expanded={opened} id={id}>
        <Code block mt={4} style={{ whiteSpace: 'pre-wrap' }}>
          {words}
        </Code>
      </Collapse>
    </div>
  )
}

/**
 * A new workspace sends its first mail here: a test to the signed-in user with its timeline, and
 * the program that sends the same.
 */
import { Paper, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { PageLink } from '../../parts/links.tsx'
import { CodeTabs } from './CodeTabs.tsx'
import classes from './FirstMail.module.css'
import type { Overview } from './overview.ts'
import { SendToMe } from './SendToMe.tsx'

export default function FirstMail({ overview }: { overview: Overview }) {
  const { t } = useTranslation('overview')
  const { data: session } = useAsk('getSession')
  const { data: senders } = useAsk('listSenders')
  if (!session || !senders) return null
  const to = session.person.email
  const ready = senders.data.filter((sender) => sender.domain_status === 'verified')
  const sender = ready.find((each) => each.default) ?? ready[0]
  return (
    <Paper component="section" aria-labelledby="first-mail-title">
      <Title order={2} id="first-mail-title" mb="sm">
        {t('firstMail')}
      </Title>
      {sender ? (
        <div className={classes.halves}>
          <SendToMe from={fromOf(sender)} to={to} captures={overview.captures} />
          <CodeTabs mail={{ from: sender.email, to }} smtp={overview.smtp} />
        </div>
      ) : (
        <Text>
          {t('firstMailNoSender')}{' '}
          <PageLink to={overview.steps.domain ? 'settings/senders' : 'settings/domains'} size="sm">
            {t(overview.steps.domain ? 'firstMailAddSender' : 'stepDomain')}
          </PageLink>
        </Text>
      )}
    </Paper>
  )
}

/** The name may need quotes: the service reads `"Doe, Jane" <jane@example.com>` (RFC 5322 3.4). */
const fromOf = ({ name, email }: { name: string | null; email: string }): string =>
  name === null ? email : `"${name.replaceAll(/["\\]/g, '\\$&')}" <${email}>`

/** Looks one address up: whether mail may go there, and if not, since when and why. */
import { Alert, Button, Card, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ItemOf, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { keyOf } from '../../parts/key-of.ts'
import { LiftSuppression } from './LiftSuppression.tsx'
import { PageLink } from '../../parts/links.tsx'

export function CheckAddress() {
  const { t } = useTranslation('suppression')
  const [email, setEmail] = useFilter('email')
  const [typed, setTyped] = useState(email)
  return (
    <Card withBorder padding="md" component="section" aria-label={t('check')}>
      <Stack>
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault()
            setEmail(typed.trim())
          }}
        >
          <Group align="flex-end" gap="sm">
            <TextInput
              label={t('check')}
              placeholder="camille@example.com"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              inputMode="email"
              autoComplete="off"
              flex="1 1 16rem"
              maw={420}
            />
            <Button type="submit" variant="default" leftSection={<Icon name="search" size={16} />}>
              {t('look')}
            </Button>
          </Group>
        </form>
        <div aria-live="polite">{email !== '' && <AddressState key={email} email={email} />}</div>
      </Stack>
    </Card>
  )
}

function AddressState({ email }: { email: string }) {
  const { t } = useTranslation('suppression')
  const { data, error, isPending } = useAsk('listSuppression', { query: { email } })
  if (isPending) return <Text>{t('looking')}</Text>
  if (!data) return <Failure error={error} />
  if (data.data.length === 0) {
    return (
      <Alert color="teal" icon={<Icon name="check" />} title={t('isOpen', { email })}>
        {t('isOpenWhy')}
      </Alert>
    )
  }
  return (
    <Stack gap="sm">
      {data.data.map((entry) => (
        <Suppressed key={`${entry.scope}${entry.id}`} entry={entry} email={email} />
      ))}
    </Stack>
  )
}

function Suppressed({ entry, email }: { entry: CauseEntry; email: string }) {
  const { t } = useTranslation('suppression')
  const mayEdit = useMay('editor')
  const isOurs = entry.scope === 'organization'
  const why = keyOf('reason', entry.reason)
  return (
    <Group justify="space-between" gap="sm" align="flex-start">
      <Stack gap={4}>
        <Group gap="sm">
          <Status tone="bad">{t('suppressed')}</Status>
          <Text size="md" fw={600}>
            {t(isOurs ? why : 'byPlatform')}
          </Text>
        </Group>
        <Text component="div">
          {t('since')} <Moment at={entry.created_at} exact />
        </Text>
        <Text c="dimmed">{t(isOurs ? `${why}Why` : 'byPlatformWhy')}</Text>
        {entry.source_id !== null && <Cause entry={{ ...entry, email }} />}
      </Stack>
      {mayEdit && isOurs && <LiftSuppression email={email} />}
    </Group>
  )
}

/** The mails whose feedback suppressed an address. */
export type CauseEntry = ItemOf<'listSuppression'>

export function Cause({ entry }: { entry: Pick<CauseEntry, 'email' | 'source_id'> }) {
  const { t } = useTranslation('suppression')
  if (entry.source_id === null) return '–'
  return (
    <PageLink to="emails" search={{ recipient: entry.email }} size="sm">
      {t('mailsToIt')}
    </PageLink>
  )
}

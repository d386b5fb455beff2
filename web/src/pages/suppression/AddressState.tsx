/** Says of one address whether mail may go there, and if not, since when and why. */
import { Alert, Card, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type ItemOf, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { LiftSuppression } from './LiftSuppression.tsx'
import { PageLink } from '../../parts/links.tsx'

/** What a search for a whole address shows above the list, the platform's list included. */
export function AddressState({ email }: { email: string }) {
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
    <Card withBorder p="md">
      <Stack gap="sm">
        {data.data.map((entry) => (
          <Suppressed key={`${entry.scope}${entry.id}`} entry={entry} email={email} />
        ))}
      </Stack>
    </Card>
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

/**
 * A report says neither that the address exists nor that it does not: the user decides whether mail
 * goes on to it.
 */
import { Alert, Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'

export function UnsureAddress({ email }: { email: string }) {
  const { t } = useTranslation('emails')
  const mayEdit = useMay('editor')
  const { data } = useAsk('listSuppression', { query: { email } })
  const { mutate, isPending } = useAct('addSuppression', {
    refresh: ['listSuppression'],
    done: t('unsureSuppressed', { email }),
  })
  if (!data) return null
  return (
    <Alert
      icon={<Icon name="warning" />}
      color="yellow"
      variant="outline"
      title={t('unsure')}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
      mb="md"
    >
      <Group justify="space-between" gap="sm">
        <Text flex="1 1 20rem">{t('unsureWhy')}</Text>
        {data.data.length > 0 ? (
          <PageLink to="suppression" search={{ email }} size="sm">
            {t('whySuppressed')}
          </PageLink>
        ) : (
          mayEdit && (
            <Button
              variant="default"
              loading={isPending}
              onClick={() => mutate({ body: { email, reason: 'bounce' } })}
            >
              {t('unsureSuppress')}
            </Button>
          )
        )}
      </Group>
    </Alert>
  )
}

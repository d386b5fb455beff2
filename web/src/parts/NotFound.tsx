/** These components replace a page that does not exist, or that broke. */
import { Box, Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Empty } from './Empty.tsx'
import { Failure } from './Failure.tsx'
import { ButtonLink } from './links.tsx'

/** A page that this user may not see looks the same. */
export function NotFound() {
  const { t } = useTranslation('shell')
  return (
    <Box component="section" aria-label={t('notFound')}>
      <Empty
        icon="help"
        title={t('notFound')}
        action={<ButtonLink to="/">{t('toStart')}</ButtonLink>}
      >
        {t('notFoundWhy')}
      </Empty>
    </Box>
  )
}

/**
 * A page that broke, or whose files a newer version of the service has removed: a new load mends
 * the latter.
 */
export function PageFailed({ error }: { error: unknown }) {
  const { t } = useTranslation('shell')
  return (
    <Group p="md">
      <Failure error={error} />
      <Button variant="default" onClick={() => window.location.reload()}>
        {t('reload')}
      </Button>
    </Group>
  )
}

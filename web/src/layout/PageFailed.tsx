/** A page that broke, or whose files are gone because a newer version of the service runs: a new load mends the latter. */
import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Failure } from '../parts/Failure.tsx'

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

/** Says that the workspace captures all mail, and leads to it. */
import { Tooltip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useWorkspace } from '../api/use-role.ts'
import { PageLink } from '../parts/links.tsx'
import { Status } from '../parts/Status.tsx'

export function CapturedBadge() {
  const { t } = useTranslation('shell')
  if (useWorkspace()?.captures !== true) return null
  return (
    <Tooltip label={t('capturedModeWhy')}>
      <span>
        <PageLink to="captured" underline="never">
          <Status tone="warning">{t('capturedMode')}</Status>
        </PageLink>
      </span>
    </Tooltip>
  )
}

/** No page lives at this address, or none that this user may see. */
import { Box } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Empty } from '../parts/Empty.tsx'
import { ButtonLink } from '../parts/links.tsx'

export function NotFound() {
  const { t } = useTranslation('shell')
  return (
    <Box component="section" aria-label={t('notFound')}>
      <Empty icon="help" title={t('notFound')} action={<ButtonLink to="/">{t('toStart')}</ButtonLink>}>
        {t('notFoundWhy')}
      </Empty>
    </Box>
  )
}

/** What was sent and what became of it, and what is to be done next. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Page } from '../../parts/Page.tsx'

export function OverviewPage(): ReactNode {
  const { t } = useTranslation('shell')
  return <Page title={t('overview')}>{null}</Page>
}

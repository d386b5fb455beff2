/** /app leads to the workspace that this browser showed last, or to the user's first one. */
import { Center, Loader } from '@mantine/core'
import { Navigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../api/use-ask.ts'
import { AwayBar } from '../parts/AwayBar.tsx'
import { Empty } from '../parts/Empty.tsx'
import { Failure } from '../parts/Failure.tsx'
import { ButtonLink, usePlace } from '../parts/links.tsx'

/** The browser stores the last workspace under this key. */
const store = 'facteur-workspace'

export const storeSlug = (slug: string): void => window.localStorage.setItem(store, slug)

export function Start() {
  const { t } = useTranslation('shell')
  const { data, error, refetch } = useAsk('listMyWorkspaces')
  if (data) {
    const slugs = data.data.map(({ slug }) => slug)
    const last = window.localStorage.getItem(store)
    const slug = slugs.find((each) => each === last) ?? slugs[0]
    if (slug === undefined)
      return (
        <Empty
          icon="help"
          title={t('noWorkspace')}
          action={<ButtonLink to="/account">{t('account')}</ButtonLink>}
        >
          {t('noWorkspaceWhy')}
        </Empty>
      )
    return <Navigate to="/$slug/overview" params={{ slug }} replace />
  }
  return (
    <Center component="main" mih="60vh" p="md">
      <AwayBar />
      {error ? <Failure error={error} retry={() => void refetch()} /> : <Loader />}
    </Center>
  )
}

/** The address of a workspace without a page leads to its overview. */
export function ToOverview() {
  return <Navigate to={usePlace()('overview')} replace />
}

/** The editor of a draft; whatever is no draft any more is shown on its own page. */
import { Skeleton, Stack } from '@mantine/core'
import { Navigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { usePlace } from '../../../parts/links.tsx'
import { Page } from '../../../parts/Page.tsx'
import { Editor } from './Editor.tsx'

export function EditorPage() {
  const { t } = useTranslation('drafts')
  const { id = '' } = useParams({ strict: false })
  const place = usePlace()
  const { data, error, refetch } = useAsk('getDraft', { params: { id } })
  const { data: mine } = useAsk('listMyWorkspaces')
  const mayEdit = useMay('editor')
  const back = { to: 'campaigns', label: t('title') }
  if (data && mine && (data.status !== 'draft' || !mayEdit)) return <Navigate to={place(`campaigns/${id}`)} replace />
  if (data && mine) return <Editor key={id} draft={data} back={back} />
  return (
    <Page title={t('draft')} back={back}>
      {error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <Stack role="status" aria-label={t('loading')}>
          <Skeleton height={60} />
          <Skeleton height={320} />
        </Stack>
      )}
    </Page>
  )
}

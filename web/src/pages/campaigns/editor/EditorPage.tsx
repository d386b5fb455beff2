/** The page opens the editor of a draft; a campaign that is no draft has its own page. */
import { Navigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { usePlace } from '../../../parts/links.tsx'
import { LoadedPage, Waiting } from '../../../parts/Loaded.tsx'
import { Editor } from './Editor.tsx'

export function EditorPage() {
  const { t } = useTranslation('drafts')
  const { id = '' } = useParams({ strict: false })
  const locate = usePlace()
  const draft = useAsk('getDraft', { params: { id } })
  const { data: mine } = useAsk('listMyWorkspaces')
  const mayEdit = useMay('editor')
  const back = { to: 'campaigns', label: t('title') }
  // The user's workspaces say whether the user may edit.
  const read = mine ? draft : { ...draft, data: undefined }
  return (
    <LoadedPage
      of={read}
      title={t('draft')}
      back={back}
      waiting={<Waiting parts={[{ height: 60 }, { height: 320 }]} />}
    >
      {(data) =>
        data.status === 'draft' && mayEdit ? (
          <Editor key={id} draft={data} back={back} />
        ) : (
          <Navigate to={locate(`campaigns/${id}`)} replace />
        )
      }
    </LoadedPage>
  )
}

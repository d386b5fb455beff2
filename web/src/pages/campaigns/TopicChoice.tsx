/** The topic of a draft, where the workspace has topics; its choice saves by itself. */
import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'

export function TopicChoice({ id }: { id: string }) {
  const { t } = useTranslation('drafts')
  const mayEdit = useMay('editor')
  const { data: run } = useAsk('getCampaignRun', { params: { id } })
  const { data: topics } = useAsk('listTopics')
  const { mutate, error } = useAct('setCampaignTopic', {
    refresh: ['getCampaignRun', 'getCampaignReach'],
  })
  if (!run || !topics || topics.data.length === 0) return null
  return (
    <>
      <Select
        label={t('topic')}
        description={t('topicWhy')}
        data={[
          { value: '', label: t('noTopic') },
          ...topics.data.map(({ id: value, name }) => ({ value, label: name })),
        ]}
        value={run.campaign.topic?.id ?? ''}
        onChange={(topic) => mutate({ params: { id }, body: { topic: topic || null } })}
        allowDeselect={false}
        readOnly={!mayEdit}
      />
      <Failure error={error} />
    </>
  )
}

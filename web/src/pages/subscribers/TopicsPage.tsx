/** The page manages topics: what contacts may leave on their page without leaving everything. */
import { Select, Text, TextInput } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import { useAct, useAsk, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import type { Column } from '../../parts/Listing.tsx'
import { useForm } from '../../parts/use-form.ts'
import { AddItem } from './catalog/AddItem.tsx'
import { CatalogPage } from './catalog/CatalogPage.tsx'
import { DeleteItem } from './catalog/DeleteItem.tsx'
import { WordsInPlace } from './catalog/WordsInPlace.tsx'

type Topic = ItemOf<'listTopics'>

const refresh = ['listTopics'] as const

export function TopicsPage() {
  const { t } = useTranslation('subscribers')
  return (
    <CatalogPage<Topic>
      title={t('topicsTitle')}
      about={t('topicsAbout')}
      read={useAsk('listTopics')}
      idOf={({ id }) => id}
      empty={{ icon: 'filter', title: t('noTopics'), why: t('noTopicsWhy') }}
      adding={<NewTopic />}
      columns={columnsOf(t)}
      deleting={deletingOf(t)}
    />
  )
}

const columnsOf = (t: TFunction<'subscribers'>): Column<Topic>[] => [
  { header: t('topicName'), cell: (topic) => <Words topic={topic} part="name" /> },
  {
    header: t('topicDescription'),
    cell: (topic) => <Words topic={topic} part="description" />,
  },
  {
    header: t('topicDefault'),
    cell: ({ default_subscription: byItself }) => t(`topicDefault_${byItself}`),
  },
]

const deletingOf = (t: TFunction<'subscribers'>): Column<Topic> => ({
  header: t('topicDelete'),
  cell: (topic) => <DeleteTopic topic={topic} />,
})

function NewTopic() {
  const { t } = useTranslation('subscribers')
  const { mutateAsync } = useAct('createTopic', { refresh: [...refresh], done: t('topicAdded') })
  const form = useForm(
    { name: '', description: '', byItself: 'opt_in' },
    async ({ name, description, byItself }, set) => {
      await mutateAsync({
        body: {
          name,
          description: description.trim() || null,
          default_subscription: byItself === 'opt_out' ? 'opt_out' : 'opt_in',
        },
      })
      set({ name: '', description: '' })
    },
  )
  return (
    <AddItem form={form} verb={t('topicAdd')}>
      <TextInput
        flex="1 1 12rem"
        label={t('topicName')}
        placeholder={t('topicExample')}
        maxLength={limits.topicNameMax}
        required
        {...form.text('name')}
      />
      <TextInput
        flex="2 1 16rem"
        label={t('topicDescription')}
        maxLength={limits.topicDescriptionMax}
        {...form.text('description')}
      />
      <Select
        flex="1 1 12rem"
        label={t('topicDefault')}
        data={(['opt_in', 'opt_out'] as const).map((value) => ({
          value,
          label: t(`topicDefault_${value}`),
        }))}
        allowDeselect={false}
        value={form.values.byItself}
        onChange={(byItself) => form.set({ byItself: byItself ?? 'opt_in' })}
      />
    </AddItem>
  )
}

function Words({ topic, part }: { topic: Topic; part: 'name' | 'description' }) {
  const { t } = useTranslation('subscribers')
  const { mutate, error } = useAct('updateTopic', { refresh: [...refresh] })
  return (
    <WordsInPlace
      label={t(part === 'name' ? 'topicNameOf' : 'topicDescriptionOf', { name: topic.name })}
      stored={topic[part] ?? ''}
      maxLength={part === 'name' ? limits.topicNameMax : limits.topicDescriptionMax}
      mayEdit={useMay('editor')}
      error={error}
      onSave={(words) => mutate({ params: { id: topic.id }, body: { [part]: words } })}
    />
  )
}

function DeleteTopic({ topic: { id, name } }: { topic: Topic }) {
  const { t } = useTranslation('subscribers')
  const { mutateAsync } = useAct('deleteTopic', { refresh: [...refresh] })
  return (
    <DeleteItem
      label={t('topicDeleteOf', { name })}
      title={t('topicDeleteTitle', { name })}
      verb={t('topicDelete')}
      onConfirm={() => mutateAsync({ params: { id } })}
    >
      <Text>{t('topicDeleteWhat')}</Text>
    </DeleteItem>
  )
}

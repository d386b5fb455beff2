/** The page manages topics: what contacts may leave on their page without leaving everything. */
import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import { useAct, useAsk, wholeList, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Page } from '../../parts/Page.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useForm } from '../../parts/use-form.ts'

type Topic = ItemOf<'listTopics'>

const refresh = ['listTopics'] as const

export function TopicsPage() {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const topics = useAsk('listTopics')
  return (
    <Page
      title={t('topicsTitle')}
      about={t('topicsAbout')}
      back={{ to: 'subscribers', label: t('title') }}
    >
      {mayEdit && <NewTopic />}
      <Listing
        label={t('topicsTitle')}
        read={wholeList(topics, topics.data?.data)}
        columns={columnsOf(t, mayEdit)}
        idOf={({ id }) => id}
        empty={{ icon: 'filter', title: t('noTopics'), why: t('noTopicsWhy') }}
      />
    </Page>
  )
}

const columnsOf = (t: TFunction<'subscribers'>, mayEdit: boolean): Column<Topic>[] => [
  {
    header: t('topicName'),
    cell: (topic) => <Words topic={topic} part="name" mayEdit={mayEdit} />,
  },
  {
    header: t('topicDescription'),
    cell: (topic) => <Words topic={topic} part="description" mayEdit={mayEdit} />,
  },
  {
    header: t('topicDefault'),
    cell: ({ default_subscription: byItself }) => t(`topicDefault_${byItself}`),
  },
  ...(mayEdit
    ? [
        {
          header: t('topicDelete'),
          align: 'end' as const,
          short: true,
          cell: (topic: Topic) => <DeleteTopic topic={topic} />,
        },
      ]
    : []),
]

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
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        form.submit()
      }}
    >
      <Stack gap="sm" maw={960}>
        <Group align="flex-start" gap="sm">
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
          <Button type="submit" loading={form.isBusy} mt={{ base: 0, xs: 25 }}>
            {t('topicAdd')}
          </Button>
        </Group>
        {!form.isAtField && <Failure error={form.error} />}
      </Stack>
    </form>
  )
}

interface WordsProps {
  topic: Topic
  part: 'name' | 'description'
  mayEdit: boolean
}

/** The input saves its words when it loses the focus. */
function Words({ topic, part, mayEdit }: WordsProps) {
  const { t } = useTranslation('subscribers')
  const { mutate, error } = useAct('updateTopic', { refresh: [...refresh] })
  const stored = topic[part] ?? ''
  const [words, setWords] = useState(stored)
  if (!mayEdit) return <UserText>{stored}</UserText>
  const write = (): void => {
    if (words.trim() === stored) return
    mutate({ params: { id: topic.id }, body: { [part]: words.trim() || null } })
  }
  return (
    <Stack gap={4}>
      <TextInput
        aria-label={t(part === 'name' ? 'topicNameOf' : 'topicDescriptionOf', { name: topic.name })}
        maxLength={part === 'name' ? limits.topicNameMax : limits.topicDescriptionMax}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        onBlur={write}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur()
        }}
      />
      <Failure error={error} />
    </Stack>
  )
}

function DeleteTopic({ topic: { id, name } }: { topic: Topic }) {
  const { t } = useTranslation('subscribers')
  const [asks, { open, close }] = useDisclosure()
  const { mutateAsync } = useAct('deleteTopic', { refresh: [...refresh] })
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('topicDeleteOf', { name })}
        onClick={open}
      >
        <Icon name="trash" size={16} />
      </ActionIcon>
      <Confirm
        opened={asks}
        onClose={close}
        title={t('topicDeleteTitle', { name })}
        verb={t('topicDelete')}
        danger
        onConfirm={() => mutateAsync({ params: { id } })}
      >
        <Text>{t('topicDeleteWhat')}</Text>
      </Confirm>
    </>
  )
}

/** A segment: its conditions with their count, and its contacts. */
import { Group } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Condition } from '../../../../src/contract/segments.ts'
import type { Subscriber } from '../../../../src/contract/subscribers.ts'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk, useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { useGo } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { LoadedPage } from '../../parts/Loaded.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { BulkBar } from '../subscribers/BulkBar.tsx'
import { BulkProgress } from '../subscribers/bulk/BulkProgress.tsx'
import { subscriberTone } from '../subscribers/words.ts'
import { asGroup, newCondition } from './conditions.ts'
import { SegmentEditor } from './SegmentEditor.tsx'

type Segment = Got<'getSegment'>

export function NewSegmentPage() {
  const { t } = useTranslation('segments')
  const go = useGo()
  const create = useAct('createSegment', { refresh: ['listSegments'], done: t('made') })
  return (
    <Page title={t('new')} about={t('newAbout')} back={{ to: 'segments', label: t('title') }}>
      <SegmentEditor
        initial={{ name: '', definition: { all: [newCondition('tag')] } }}
        verb={t('make')}
        onSave={async (body) => {
          const { id } = await create.mutateAsync({ body })
          await go(`segments/${id}`)
        }}
      />
    </Page>
  )
}

export function SegmentPage() {
  const { t } = useTranslation('segments')
  // The bar comes with the count, when a member may be writing already.
  useTranslation('bulk')
  const { id = '' } = useParams({ strict: false })
  const read = useAsk('getSegment', { params: { id } })
  return (
    <LoadedPage
      of={read}
      title={t('segment')}
      back={{ to: 'segments', label: t('title') }}
      height={480}
    >
      {(segment) => <Stored key={segment.id} segment={segment} />}
    </LoadedPage>
  )
}

function Stored({ segment }: { segment: Segment }) {
  const { t } = useTranslation('segments')
  const { id, name, definition } = segment
  const update = useAct('updateSegment', {
    refresh: ['getSegment', 'listSegments', 'listSegmentMembers'],
    done: t('saved'),
  })
  return (
    <Page
      title={name}
      back={{ to: 'segments', label: t('title') }}
      actions={<Actions segment={segment} />}
    >
      <BulkProgress />
      <SegmentEditor
        // The contract says which conditions there are, and the service stores no others.
        initial={{ name, definition: asGroup(definition as Condition) }}
        verb={t('save')}
        onSave={(body) => update.mutateAsync({ params: { id }, body })}
      />
      <Members id={id} definition={definition} />
    </Page>
  )
}

function Actions({ segment: { id, name } }: { segment: Segment }) {
  const { t } = useTranslation('segments')
  const go = useGo()
  const mayEdit = useMay('editor')
  const remove = useAct('deleteSegment', {
    refresh: ['listSegments'],
    done: t('deleted', { name }),
  })
  if (!mayEdit) return null
  return (
    <Group gap="sm">
      <ConfirmButton
        label={t('delete')}
        title={t('deleteTitle', { name })}
        danger
        onConfirm={() => remove.mutateAsync({ params: { id } }).then(() => go('segments'))}
      >
        {t('deleteWhat')}
      </ConfirmButton>
    </Group>
  )
}

function Members({ id, definition }: Pick<Segment, 'id' | 'definition'>) {
  const { t } = useTranslation('segments')
  const { t: words } = useTranslation('subscribers')
  const members = useList('listSegmentMembers', { params: { id } })
  return (
    <Section title={t('members')} about={t('membersAbout')}>
      <Listing
        label={t('members')}
        read={members}
        idOf={(member) => member.id}
        linkOf={(member) => `subscribers/${member.id}`}
        empty={{ icon: 'subscribers', title: t('nobody') }}
        columns={columnsOf(words)}
      />
      <ManyMembers definition={definition} />
    </Section>
  )
}

/** Changes all of them at once. */
function ManyMembers({ definition }: Pick<Segment, 'definition'>) {
  const { data } = useAsk('countSegment', { body: { definition } })
  if (!data || data.contacts === 0) return null
  const selection = { matching: { definition }, total: { count: data.contacts, more: false } }
  return <BulkBar selection={selection} onDone={() => undefined} />
}

const columnsOf = (t: TFunction<'subscribers'>): Column<Subscriber>[] => [
  { header: t('address'), cell: ({ email }) => <UserText>{email}</UserText> },
  {
    header: t('status'),
    cell: ({ status }) => (
      <StateBadge t={t} prefix="status" state={status} tone={subscriberTone(status)} />
    ),
  },
  { header: t('since'), cell: ({ created_at: at }) => <Moment at={at} />, align: 'end' },
]

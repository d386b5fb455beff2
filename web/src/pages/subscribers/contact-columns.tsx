/** The columns of the list of contacts; custom fields are columns to choose. */
import { Badge, Group, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useAsk, type ItemOf } from '../../api/use-ask.ts'
import { keyOf } from '../../parts/key-of.ts'
import type { Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { fullName, subscriberTone } from './words.ts'

export type Contact = ItemOf<'listFilteredContacts'>

export function useContactColumns(t: TFunction<'subscribers'>): Column<Contact>[] {
  const { data } = useAsk('listSubscriberFields')
  return [
    { header: t('address'), sort: 'email', cell: (contact) => <Who contact={contact} /> },
    {
      header: t('status'),
      short: true,
      narrow: 'side',
      cell: ({ status }) => (
        <StateBadge t={t} prefix="status" state={status} tone={subscriberTone(status)} />
      ),
    },
    {
      header: t('tags'),
      cell: ({ tags }) => <Tags tags={tags} />,
      wideOnly: true,
      optional: { name: 'tags' },
    },
    {
      header: t('source'),
      cell: ({ source }) => t(keyOf('source', source), { defaultValue: source }),
      ...{ short: true, wideOnly: true, optional: { name: 'source' } },
    },
    {
      header: t('lastOpened'),
      cell: ({ last_opened_at: at }) => <Moment at={at} />,
      ...{ short: true, wideOnly: true, optional: { name: 'opened' } },
    },
    ...(data?.data ?? []).map(({ key, label }) => ({
      header: label ?? key,
      cell: ({ fields }: Contact) => <UserText>{fields[key] ?? '–'}</UserText>,
      optional: { name: `field:${key}`, isHidden: true },
    })),
    {
      header: t('since'),
      sort: 'created',
      cell: ({ created_at: at }) => <Moment at={at} />,
      ...{ short: true, align: 'end' as const },
    },
  ]
}

function Who({ contact }: { contact: Contact }) {
  const name = fullName(contact)
  if (name === '') return <UserText>{contact.email}</UserText>
  return (
    <>
      <UserText variant="strong">{name}</UserText>
      <UserText variant="small">{contact.email}</UserText>
    </>
  )
}

const tagsShown = 3

function Tags({ tags }: { tags: string[] }) {
  return (
    <Group gap={4}>
      {tags.slice(0, tagsShown).map((tag) => (
        <Badge key={tag} title={tag} className="status tag" variant="light" tt="none" fw={500}>
          {tag}
        </Badge>
      ))}
      {tags.length > tagsShown && (
        <Text size="xs" c="dimmed" component="span">
          +{tags.length - tagsShown}
        </Text>
      )}
    </Group>
  )
}

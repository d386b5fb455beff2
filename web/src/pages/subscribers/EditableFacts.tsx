/** The names, tags and fields of a subscriber, which members edit in place. */
import { Badge, Group, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import type { SubscriberDetail } from '../../../../src/contract/subscribers.ts'
import type { CallInput } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { PageLink } from '../../parts/links.tsx'
import { FieldInput } from './FieldInput.tsx'
import { InPlace } from './InPlace.tsx'
import { TagField } from './RecordFields.tsx'
import { audienceReads } from './words.ts'

/** Only what changed is sent, so that two members do not undo each other. */
export function EditableFacts({ subscriber }: { subscriber: SubscriberDetail }) {
  const { t } = useTranslation('subscribers')
  const { data } = useAsk('listSubscriberFields')
  const { mutateAsync } = useAct('editSubscriber', {
    refresh: ['getContact', 'listContactTimeline', 'listSubscriberTags', ...audienceReads],
    done: t('saved'),
  })
  const { id, tags, fields } = subscriber
  const save = (body: CallInput<'editSubscriber'>['body']) => mutateAsync({ params: { id }, body })
  return (
    <>
      {(['firstName', 'lastName'] as const).map((name) => (
        <InPlace
          key={name}
          label={t(name)}
          shown={subscriber[name] ?? '–'}
          value={subscriber[name] ?? ''}
          onSave={(value) => save({ [name]: value })}
        >
          {({ value, onChange }) => (
            <TextInput
              label={t(name)}
              value={value}
              maxLength={limits.subscriberNameMax}
              onChange={(event) => onChange(event.currentTarget.value)}
              autoFocus
            />
          )}
        </InPlace>
      ))}
      <InPlace
        label={t('tags')}
        shown={tags.length === 0 ? '–' : <TagLinks tags={tags} />}
        value={tags}
        onSave={(now) =>
          save({
            add_tags: now.filter((tag) => !tags.includes(tag)),
            remove_tags: tags.filter((tag) => !now.includes(tag)),
          })
        }
      >
        {(field) => <TagField label={t('tags')} {...field} />}
      </InPlace>
      {(data?.data ?? []).map((field) => (
        <InPlace
          key={field.key}
          label={field.label ?? field.key}
          shown={fields[field.key] ?? '–'}
          value={fields[field.key] ?? ''}
          onSave={(value) => save({ fields: { [field.key]: value } })}
        >
          {(input) => <FieldInput field={field} {...input} />}
        </InPlace>
      ))}
    </>
  )
}

function TagLinks({ tags }: { tags: string[] }) {
  return (
    <Group gap={6} component="span" display="inline-flex">
      {tags.map((tag) => (
        <PageLink key={tag} to="subscribers" search={{ tag }} underline="never">
          <Badge component="span" className="status" variant="light" tt="none" fw={500}>
            {tag}
          </Badge>
        </PageLink>
      ))}
    </Group>
  )
}

/** The page manages the workspace's custom fields, which subscribers have beside their names. */
import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { refusalCode } from '../../api/refusal.ts'
import { useAct, useAsk, wholeList, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Page } from '../../parts/Page.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useForm } from '../../parts/use-form.ts'
import { typeGiven } from './field-type.ts'
import { FieldTypeCell } from './FieldTypeCell.tsx'
import { TypeFields, type TypeDraft } from './TypeFields.tsx'

type Field = ItemOf<'listSubscriberFields'>

export function FieldsPage() {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const fields = useAsk('listSubscriberFields')
  return (
    <Page
      title={t('fieldsTitle')}
      about={t('fieldsAbout')}
      back={{ to: 'subscribers', label: t('title') }}
    >
      {mayEdit && <NewField />}
      <Listing
        label={t('fieldsTitle')}
        read={wholeList(fields, fields.data?.data)}
        columns={columnsOf(t, mayEdit)}
        idOf={({ key }) => key}
        empty={{ icon: 'filter', title: t('noFields'), why: t('noFieldsWhy') }}
      />
    </Page>
  )
}

const columnsOf = (t: TFunction<'subscribers'>, mayEdit: boolean): Column<Field>[] => [
  {
    header: t('fieldLabel'),
    cell: (field) =>
      mayEdit ? (
        <Label key={`${field.key} ${field.label}`} field={field} />
      ) : (
        <UserText>{field.label ?? field.key}</UserText>
      ),
  },
  {
    header: t('fieldKey'),
    cell: ({ key }) => <UserText variant="mono">{`{{fields.${key}}}`}</UserText>,
  },
  { header: t('fieldType'), cell: (field) => <FieldTypeCell field={field} /> },
  {
    header: t('fieldPeople'),
    cell: ({ key }) => (
      <PageLink to="subscribers" search={{ field: key }} size="sm">
        {t('fieldShowPeople')}
      </PageLink>
    ),
    align: 'end',
    short: true,
  },
  ...(mayEdit
    ? [
        {
          header: t('fieldDelete'),
          align: 'end' as const,
          cell: (field: Field) => <DeleteField fieldKey={field.key} />,
        },
      ]
    : []),
]

const plainText: TypeDraft = { type: 'text', lines: '' }

const keyPattern = /^[a-z][a-z0-9_]{0,59}$/

function NewField() {
  const { t } = useTranslation('subscribers')
  const { mutateAsync } = useAct('defineSubscriberField', {
    refresh: ['listSubscriberFields'],
    done: t('fieldAdded'),
  })
  const [key, setKey] = useState<string | null>(null)
  const [wasSent, setWasSent] = useState(false)
  const form = useForm({ label: '', draft: plainText }, async ({ label, draft }, set) => {
    const ownKey = key ?? keyFrom(label)
    const typed = typeGiven(draft)
    setWasSent(true)
    if (!keyPattern.test(ownKey) || typed === null) return
    await mutateAsync({ body: { key: ownKey, label: label.trim() || null, ...typed } })
    set({ label: '', draft: plainText })
    setKey(null)
    setWasSent(false)
  })
  const shownKey = key ?? keyFrom(form.values.label)
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
            label={t('fieldLabel')}
            placeholder={t('fieldExample')}
            maxLength={audienceLimits.fieldLabelMax}
            {...form.text('label')}
          />
          <TextInput
            flex="1 1 12rem"
            label={t('fieldKey')}
            required
            spellCheck={false}
            autoComplete="off"
            value={shownKey}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={wasSent && !keyPattern.test(shownKey) && t('fieldKeyRule')}
          />
          <Stack flex="1 1 12rem" gap="sm">
            <TypeFields {...form.pick('draft')} />
          </Stack>
          <Button type="submit" loading={form.isBusy} mt={{ base: 0, xs: 25 }}>
            {t('fieldAdd')}
          </Button>
        </Group>
        {wasSent && typeGiven(form.values.draft) === null && (
          <Text c="red.9" role="alert">
            {t('fieldChoicesMissing')}
          </Text>
        )}
        {!form.isAtField && <Failure error={form.error} />}
      </Stack>
    </form>
  )
}

/** The service stores "Shoe size" as `shoe_size`. */
export const keyFrom = (words: string): string =>
  words
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '')
    .slice(0, 60)

/** The pages call a field by this label; the input saves it when it loses the focus. */
function Label({ field }: { field: Field }) {
  const { t } = useTranslation('subscribers')
  const { mutate, error } = useAct('renameSubscriberField', { refresh: ['listSubscriberFields'] })
  const [label, setLabel] = useState(field.label ?? '')
  const write = (): void => {
    const words = label.trim() || null
    if (words !== field.label) mutate({ params: { key: field.key }, body: { label: words } })
  }
  return (
    <Stack gap={4}>
      <TextInput
        aria-label={t('fieldLabelOf', { key: field.key })}
        placeholder={field.key}
        maxLength={audienceLimits.fieldLabelMax}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        onBlur={write}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur()
        }}
      />
      <Failure error={error} />
    </Stack>
  )
}

function DeleteField({ fieldKey: key }: { fieldKey: string }) {
  const { t } = useTranslation('subscribers')
  const [asks, { open, close }] = useDisclosure()
  const { mutateAsync, error } = useAct('deleteSubscriberField', {
    refresh: ['listSubscriberFields'],
  })
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('fieldDeleteOf', { key })}
        onClick={open}
      >
        <Icon name="trash" size={16} />
      </ActionIcon>
      <Confirm
        opened={asks}
        onClose={close}
        title={t('fieldDeleteTitle', { key })}
        verb={t('fieldDelete')}
        danger
        onConfirm={() => mutateAsync({ params: { key } })}
      >
        <Text>{t('fieldDeleteWhat')}</Text>
        {refusalCode(error) === 'conflict' && (
          <Text mt="xs">
            <PageLink to="subscribers" search={{ field: key }}>
              {t('fieldInUse')}
            </PageLink>
          </Text>
        )}
      </Confirm>
    </>
  )
}

/**
 * The type of a custom field. Owners change it in a dialog, which first counts the values that
 * would not fit, and shows ten of them.
 */
import { Alert, Group, Stack, Table, Text } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { IconButton } from '../../parts/IconButton.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { PageLink } from '../../parts/links.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { typeGiven } from './field-type.ts'
import { TypeFields, type TypeDraft } from './TypeFields.tsx'

type Field = ItemOf<'listSubscriberFields'>

export function FieldTypeCell({ field }: { field: Field }) {
  const { t } = useTranslation('subscribers')
  const mayChange = useMay('owner')
  return (
    <Group gap="xs">
      <Text>{t(keyOf('fieldType', field.type))}</Text>
      {mayChange && <ChangeType field={field} />}
    </Group>
  )
}

function ChangeType({ field }: { field: Field }) {
  const { t } = useTranslation('subscribers')
  const [opened, { open, close }] = useDisclosure()
  const { key } = field
  const { mutateAsync } = useAct('changeSubscriberFieldType', {
    refresh: ['listSubscriberFields'],
    done: t('fieldTypeChanged'),
  })
  return (
    <>
      <IconButton
        label={t('fieldTypeChange')}
        size="xs"
        variant="default"
        onClick={open}
        aria-label={t('fieldTypeChangeOf', { key })}
      />
      <FormDialog
        opened={opened}
        onClose={close}
        title={t('fieldTypeOf', { key })}
        verb={t('save')}
        initial={{ draft: draftOf(field) }}
        isReady={({ draft }) => typeGiven(draft) !== null}
        onSubmit={async ({ draft }) => {
          const body = typeGiven(draft)
          if (body) await mutateAsync({ params: { key }, body })
        }}
      >
        {(form) => (
          <>
            <TypeFields {...form.pick('draft')} />
            <Misfits fieldKey={key} draft={form.values.draft} />
          </>
        )}
      </FormDialog>
    </>
  )
}

const draftOf = ({ type, choices }: Field): TypeDraft => ({ type, lines: choices.join('\n') })

/** The service counts a moment after the user's last stroke. */
function Misfits({ fieldKey: key, draft }: { fieldKey: string; draft: TypeDraft }) {
  const { t, i18n } = useTranslation('subscribers')
  const [paused] = useDebouncedValue(draft, 300)
  const body = typeGiven(paused)
  const { data, error } = useAsk(
    'previewSubscriberFieldType',
    { params: { key }, body: body ?? { type: 'text' } },
    { enabled: body !== null },
  )
  if (error) return <Failure error={error} />
  if (!data || body === null) return null
  const say = (count: number): string => count.toLocaleString(i18n.language)
  if (data.misfits === 0)
    return (
      <Text role="status">
        {data.values === 0
          ? t('fieldNoValues')
          : t('fieldAllFit', { count: data.values, said: say(data.values) })}
      </Text>
    )
  return (
    <Alert
      role="status"
      color="yellow"
      icon={<Icon name="warning" />}
      title={t('fieldMisfits', {
        count: data.misfits,
        said: say(data.misfits),
        all: say(data.values),
      })}
    >
      <Stack gap="xs">
        <Text>{t('fieldMisfitsWhat')}</Text>
        <Table aria-label={t('fieldMisfitsSome')}>
          <Table.Tbody>
            {data.sample.map(({ id, email, value }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <PageLink to={`subscribers/${id}`}>{email}</PageLink>
                </Table.Td>
                <Table.Td>
                  <UserText>{value}</UserText>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Alert>
  )
}

/** The user chooses a target for each column of a file; the first lines of the column help. */
import { Card, Checkbox, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { FieldType } from '../../../../src/contract/field-types.ts'
import { useAsk } from '../../api/use-ask.ts'
import { keyOf } from '../../parts/key-of.ts'
import { keyFrom } from './field-type.ts'

interface ColumnChoiceProps {
  headers: string[]
  rows: string[][]
  guessedTypes: FieldType[]
  targets: (string | null)[]
  onChange: (targets: (string | null)[]) => void
}

const nothing = 'nothing'

export function ColumnChoice({
  headers,
  rows,
  guessedTypes,
  targets,
  onChange,
}: ColumnChoiceProps) {
  const { t } = useTranslation('subscribers')
  const { data } = useAsk('listSubscriberFields')
  const fields = (data?.data ?? []).map(({ key, label }) => ({
    value: `fields.${key}`,
    label: label ?? key,
  }))
  const optionsOf = (header: string): { value: string; label: string }[] => {
    const key = keyFrom(header)
    const isNew = key !== '' && !fields.some(({ value }) => value === `fields.${key}`)
    return [
      { value: nothing, label: t('targetNothing') },
      { value: 'email', label: t('address') },
      { value: 'firstName', label: t('firstName') },
      { value: 'lastName', label: t('lastName') },
      { value: 'name', label: t('targetName') },
      { value: 'tags', label: t('targetTags') },
      { value: 'status', label: t('targetStatus') },
      { value: 'attributes', label: t('targetAttributes') },
      ...fields,
      ...(isNew ? [{ value: `fields.${key}`, label: t('targetNew', { key }) }] : []),
    ]
  }
  /** Two columns never have one target: the column that had it before loses it. */
  const choose = (column: number, value: string | null): void => {
    const target = value === nothing ? null : value
    onChange(
      targets.map((before, at) =>
        at === column ? target : untyped(before) === untyped(target) ? null : before,
      ),
    )
  }
  /** A new field becomes what its values look like once the user says that they are. */
  const askedOf = (column: number): Guess | null => {
    const target = untyped(targets[column] ?? null)
    const guess = guessedTypes[column] ?? 'text'
    const isNew = target?.startsWith('fields.') && !fields.some(({ value }) => value === target)
    return isNew && guess !== 'text' && guess !== 'choice' ? guess : null
  }
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }} spacing="sm" component="ul" p={0} m={0}>
      {headers.map((header, column) => (
        // Columns have no other name than their place: headers may be alike.
        // oxlint-disable-next-line react/no-array-index-key
        <Card key={column} component="li" withBorder p="sm" display="block">
          <Stack gap="xs">
            <Select
              label={header || t('columnUnnamed', { number: column + 1 })}
              data={optionsOf(header)}
              value={untyped(targets[column] ?? null) ?? nothing}
              onChange={(value) => choose(column, value)}
              allowDeselect={false}
              searchable
            />
            <Question
              target={targets[column] ?? null}
              type={askedOf(column)}
              onChange={(target) => choose(column, target)}
            />
            <Text size="xs" c="dimmed" component="div">
              {t('firstLines')}
              {rows.map((cells, line) => (
                <Text
                  // oxlint-disable-next-line react/no-array-index-key
                  key={line}
                  truncate="end"
                  c={cells[column] ? 'var(--mantine-color-text)' : 'dimmed'}
                >
                  {cells[column] || '–'}
                </Text>
              ))}
            </Text>
          </Stack>
        </Card>
      ))}
    </SimpleGrid>
  )
}

/** The types that values show by themselves; a list of choices is not one. */
type Guess = Exclude<FieldType, 'text' | 'choice'>

/** `fields.birthday:date` names the type of a new field; the list of targets has it without. */
const untyped = (target: string | null): string | null => target?.replace(/:.*$/, '') ?? null

function Question({
  target,
  type,
  onChange,
}: {
  target: string | null
  type: Guess | null
  onChange: (target: string | null) => void
}) {
  const { t } = useTranslation('subscribers')
  if (type === null) return null
  return (
    <Checkbox
      label={t(keyOf('guess', type))}
      checked={target?.endsWith(`:${type}`) ?? false}
      onChange={({ currentTarget: { checked } }) =>
        onChange(checked ? `${untyped(target)}:${type}` : untyped(target))
      }
    />
  )
}

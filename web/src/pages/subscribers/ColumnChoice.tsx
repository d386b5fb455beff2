/** The user chooses a target for each column of a file; the first lines of the column help. */
import { Card, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { keyFrom } from './FieldsPage.tsx'

interface ColumnChoiceProps {
  headers: string[]
  rows: string[][]
  targets: (string | null)[]
  onChange: (targets: (string | null)[]) => void
}

const nothing = 'nothing'

export function ColumnChoice({ headers, rows, targets, onChange }: ColumnChoiceProps) {
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
      targets.map((before, at) => (at === column ? target : before === target ? null : before)),
    )
  }
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }} spacing="sm" component="ul" p={0} m={0}>
      {headers.map((header, column) => (
        // Columns have no other name than their place: headers may be alike.
        // oxlint-disable-next-line react/no-array-index-key
        <Card key={column} component="li" withBorder padding="sm" display="block">
          <Stack gap="xs">
            <Select
              label={header || t('columnUnnamed', { number: column + 1 })}
              data={optionsOf(header)}
              value={targets[column] ?? nothing}
              onChange={(value) => choose(column, value)}
              allowDeselect={false}
              searchable
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

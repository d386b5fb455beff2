/**
 * The user says what divides the tags of one cell, where that is not known; until then nothing is
 * imported.
 */
import { Alert, Radio, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ImportDetail } from '../../../../src/contract/workspace/imports.ts'
import { Icon } from '../../parts/Icon.tsx'

type UnknownSeparator = ImportDetail['unknown_separators'][number]

/** The question is about the column of tags that the user has chosen. */
export const separatorsToExplain = (
  result: ImportDetail,
  targets: (string | null)[],
): UnknownSeparator[] =>
  targets.includes('tags') && targets.indexOf('tags') === result.targets.indexOf('tags')
    ? result.unknown_separators
    : []

interface TagSeparatorsProps {
  separators: UnknownSeparator[]
  value: string | null
  onChange: (separators: string) => void
}

export function TagSeparators({ separators: requested, value, onChange }: TagSeparatorsProps) {
  const { t, i18n } = useTranslation('subscribers')
  if (requested.length === 0) return null
  const all = requested.map(({ separator }) => separator)
  const choices = [
    ...requested.map(({ separator, count, example }) => ({
      separators: separator,
      label: t('tagsDividedBy', { separator: nameOf(separator) }),
      about: t('tagsOfCell', {
        count,
        lines: count.toLocaleString(i18n.language),
        cell: example,
        tags: cut(example, separator),
      }),
    })),
    ...(all.length > 1
      ? [{ separators: all.join(''), label: t('tagsDividedByAll'), about: null }]
      : []),
    { separators: otherThan(all), label: t('tagsUndivided'), about: null },
  ]
  function nameOf(separator: string): string {
    if (separator === '\n') return t('lineBreak')
    return separator === '\t' ? t('tab') : separator
  }
  return (
    <Alert
      color="orange"
      icon={<Icon name="warning" />}
      role="alert"
      title={t('unknownSeparators')}
    >
      <Radio.Group label={t('unknownSeparatorsWhy')} value={value} onChange={onChange}>
        <Stack gap="sm" mt="sm">
          {choices.map(({ separators, label, about }) => (
            <Radio key={separators} value={separators} label={label} description={about} />
          ))}
        </Stack>
      </Radio.Group>
    </Alert>
  )
}

const cut = (cell: string, separator: string): string =>
  cell
    .split(separator)
    .map((tag) => tag.trim())
    .join(', ')

/** One that stands in no cell. */
const otherThan = (separators: string[]): string =>
  [',', ';', '|', '/'].find((entry) => !separators.includes(entry)) ?? '¦'

/**
 * The user says what words of a status column mean that are not known; until then nothing is
 * imported.
 */
import { Alert, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ImportDetail, StatusWord } from '../../../../src/contract/workspace/imports.ts'
import { Icon } from '../../parts/Icon.tsx'

/** All that a word may mean: the compiler finds a missing one. */
const meaningKeys = {
  subscribed: 'wordMeansSubscribed',
  pending: 'wordMeansPending',
  unsubscribed: 'wordMeansUnsubscribed',
  bounced: 'wordMeansBounced',
  complained: 'wordMeansComplained',
} as const satisfies Record<StatusWord['meaning'], string>

type UnknownWord = ImportDetail['unknown_words'][number]

const isMeaning = (text: string | null): text is StatusWord['meaning'] =>
  text !== null && Object.hasOwn(meaningKeys, text)

/**
 * The words that are not known; once each, and none of a column that the user has made something
 * else.
 */
export function wordsToExplain(
  { unknown_words: unknown, headers }: ImportDetail,
  targets: (string | null)[],
): UnknownWord[] {
  const ofStatus = unknown.filter(({ column }) =>
    ['status', null].includes(targets[headers.indexOf(column)] ?? null),
  )
  return [...new Map(ofStatus.map((each) => [each.word, each])).values()]
}

interface StatusWordsProps {
  words: UnknownWord[]
  meanings: StatusWord[]
  onChange: (meanings: StatusWord[]) => void
}

export function StatusWords({ words, meanings, onChange }: StatusWordsProps) {
  const { t, i18n } = useTranslation('subscribers')
  const data = Object.entries(meaningKeys).map(([value, key]) => ({ value, label: t(key) }))
  if (words.length === 0) return null
  const choose = (word: string, chosen: string | null): void => {
    const others = meanings.filter((meaning) => meaning.word !== word)
    onChange(isMeaning(chosen) ? [...others, { word, meaning: chosen }] : others)
  }
  return (
    <Alert color="orange" icon={<Icon name="warning" />} role="alert" title={t('unknownWords')}>
      <Stack gap="md">
        <Text>{t('unknownWordsWhy')}</Text>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
          {words.map(({ column, word, count }) => (
            <Select
              key={word}
              label={word}
              description={t('unknownWordIn', {
                count,
                lines: count.toLocaleString(i18n.language),
                column,
              })}
              placeholder={t('wordMeansWhat')}
              data={data}
              value={meanings.find((meaning) => meaning.word === word)?.meaning ?? null}
              onChange={(meaning) => choose(word, meaning)}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Alert>
  )
}

/**
 * The user assigns columns to fields, adds tags and names the consent; then comes the dry run, then
 * the import.
 */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ImportDetail, ImportPlan } from '../../../../src/contract/workspace/imports.ts'
import { useAct } from '../../api/use-ask.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Section } from '../../parts/Section.tsx'
import { ColumnChoice } from './ColumnChoice.tsx'
import { keyFrom } from './field-type.ts'
import { ConsentChoice, consentOf, useConsent, type Consent } from './ConsentChoice.tsx'
import { ImportCountsView } from './ImportCountsView.tsx'
import { ReadAs, WhatHappens } from './ImportWords.tsx'
import { TagField } from './RecordFields.tsx'
import { StatusWords, wordsToExplain } from './StatusWords.tsx'
import { TagSeparators, separatorsToExplain } from './TagSeparators.tsx'

/** An import that ran or was tried has its user's choice already. */
function chosenBefore({ consent, trial, started_at: startedAt, failure }: ImportDetail): Consent {
  if (consent !== null) return { way: 'words', words: consent }
  return { way: trial || startedAt !== null || failure ? 'ask' : null, words: '' }
}

export function ImportPlanForm({ detail: result }: { detail: ImportDetail }) {
  const { t } = useTranslation('subscribers')
  const [targets, setTargets] = useState(() => targetsOf(result))
  const [tags, setTags] = useState(result.tags)
  const [meanings, setMeanings] = useState(result.status_words)
  const [chosenSeparators, setTagSeparators] = useState<string | null>(null)
  const { choice, choose, wasSent, setWasSent } = useConsent(() => chosenBefore(result))
  const attempt = useAct('tryImport', { refresh: ['getImport', 'listImports'] })
  const start = useAct('startImport', { refresh: ['getImport', 'listImports'] })
  const consent = consentOf(choice)
  const separators = separatorsToExplain(result, targets)
  // The one that most lines have is chosen already.
  const tagSeparators =
    chosenSeparators ?? result.tag_separators ?? separators[0]?.separator ?? null
  const plan: ImportPlan | null =
    consent === undefined || !targets.includes('email')
      ? null
      : { targets, tags, consent, status_words: meanings, tag_separators: tagSeparators }
  const isTried = result.state === 'tried' && plan !== null && isSame(plan, result)
  const words = wordsToExplain(result, targets)
  const isExplained = words.every(({ word }) => meanings.some((meaning) => meaning.word === word))
  const request = plan && isExplained ? { params: { id: result.id }, body: plan } : null
  const rehearse = (): void => {
    setWasSent(true)
    if (request) attempt.mutate(request)
  }
  return (
    <Stack gap="xl">
      <ReadAs />
      <StatusWords words={words} meanings={meanings} onChange={setMeanings} />
      {wasSent && !isExplained && (
        <Text c="red.9" role="alert">
          {t('wordsUnsaid')}
        </Text>
      )}
      <TagSeparators separators={separators} value={tagSeparators} onChange={setTagSeparators} />
      <Section title={t('columns')} about={t('columnsWhy')} size="h4">
        <ColumnChoice
          headers={result.headers}
          rows={result.rows}
          guessedTypes={result.guessed_types}
          targets={targets}
          onChange={setTargets}
        />
        {wasSent && !targets.includes('email') && (
          <Text c="red.9" role="alert">
            {t('noEmailColumn')}
          </Text>
        )}
      </Section>
      <Stack maw={720} gap="lg">
        <TagField
          label={t('importTags')}
          description={t('importTagsWhy')}
          value={tags}
          onChange={setTags}
        />
        <ConsentChoice value={choice} onChange={choose} many missing={wasSent} />
      </Stack>
      {isTried && <ImportCountsView counts={result.trial} detail={result} trial />}
      <Failure error={attempt.error ?? start.error} />
      <Group>
        <Button
          variant={isTried ? 'default' : 'filled'}
          loading={attempt.isPending}
          onClick={rehearse}
        >
          {result.trial ? t('tryAgain') : t('try')}
        </Button>
        {isTried && request && (
          <ConfirmButton
            label={t('importNow')}
            variant="filled"
            title={t('importConfirm')}
            onConfirm={() => start.mutateAsync(request)}
          >
            <WhatHappens detail={result} asks={consent === null} />
          </ConfirmButton>
        )}
        {!isTried && <Text c="dimmed">{result.trial ? t('changedSince') : t('tryWhy')}</Text>}
      </Group>
    </Stack>
  )
}

/** A column that is nothing else is a new field; its key is that of its name. */
function targetsOf({ headers, targets, may_be_fields: mayBeFields }: ImportDetail) {
  const taken = new Set(targets)
  return targets.map((target, column) => {
    const key = keyFrom(headers[column] ?? '')
    if (target !== null || mayBeFields[column] !== true || key === '') return target
    const field = `fields.${key}`
    if (taken.has(field)) return null
    taken.add(field)
    return field
  })
}

const isSame = (plan: ImportPlan, result: ImportDetail): boolean =>
  JSON.stringify(choicesOf(plan)) === JSON.stringify(choicesOf(result))

const choicesOf = ({
  targets,
  tags,
  consent,
  status_words: words,
  tag_separators: separators,
}: ImportPlan | ImportDetail) => [...[targets, tags, consent, words, separators]]

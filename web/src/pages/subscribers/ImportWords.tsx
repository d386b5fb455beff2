/** What an import is going to do, and how its file was read, in words. */
import { Alert, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ImportDetail } from '../../../../src/contract/workspace/imports.ts'
import { Icon } from '../../parts/Icon.tsx'
import { useFilter } from '../../parts/use-filter.ts'

export function WhatHappens({ detail: { trial }, asks }: { detail: ImportDetail; asks: boolean }) {
  const { t, i18n } = useTranslation('subscribers')
  const count = trial?.new ?? 0
  const say = (number: number): string => number.toLocaleString(i18n.language)
  return (
    <Text>
      {t(asks ? 'importWhatAsks' : 'importWhat', {
        count,
        added: say(count),
        updated: say(trial?.updated ?? 0),
      })}
    </Text>
  )
}

/** The page converted the file to UTF-8, and names the encoding that it had. */
export function ReadAs() {
  const { t } = useTranslation('subscribers')
  const [was] = useFilter('was')
  if (was !== 'utf-16' && was !== 'windows-1252') return null
  return (
    <Alert
      icon={<Icon name="help" />}
      title={t('readAs', { encoding: was === 'utf-16' ? 'UTF-16' : 'Windows-1252' })}
    >
      {t('readAsWhy')}
    </Alert>
  )
}

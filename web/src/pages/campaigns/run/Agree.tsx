/** Part of the question before a send: the findings of the check, and the box by which the user accepts them. */
import { Alert, Checkbox, Group, List, Loader, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { FindingLine } from '../editor/finding-lines.ts'
import type { Agreement } from './use-review.ts'

/** More than these are counted. */
const namedMax = 8

export function Agree({ agreement, verb }: { agreement: Agreement; verb: 'sendAllTheSame' | 'scheduleAllTheSame' }) {
  const { t } = useTranslation('run')
  const { t: drafts } = useTranslation('drafts')
  const { review, wrong, stopping, agreed, agree } = agreement
  const { lines, isChecking, error } = review
  if (isChecking)
    return (
      <Group role="status" wrap="nowrap">
        <Loader size="sm" />
        <Text>{drafts('checking')}</Text>
      </Group>
    )
  const warnings = lines?.filter(({ tone }) => tone === 'warning') ?? []
  return (
    <>
      {stopping.length > 0 && (
        <Alert color="red" role="alert" title={t('mendFirst')}>
          <Named lines={stopping} />
        </Alert>
      )}
      {(wrong.length > 0 || error) && (
        <Alert color="red" title={error ? t('unchecked') : drafts('checkBad', { count: wrong.length })}>
          <Named lines={wrong} id="what-is-wrong" />
          <Checkbox
            mt="sm"
            label={t(error ? `${verb}Unchecked` : verb)}
            aria-describedby="what-is-wrong"
            checked={agreed}
            onChange={(event) => agree(event.currentTarget.checked)}
          />
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" title={drafts('finding_warning')}>
          <Named lines={warnings} />
        </Alert>
      )}
    </>
  )
}

function Named({ lines, id }: { lines: readonly FindingLine[]; id?: string }) {
  const { t } = useTranslation('run')
  return (
    <List size="sm" id={id} style={{ overflowWrap: 'anywhere' }}>
      {lines.slice(0, namedMax).map((line) => (
        <List.Item key={line.id}>{line.text}</List.Item>
      ))}
      {lines.length > namedMax && <List.Item>{t('andMore', { count: lines.length - namedMax })}</List.Item>}
    </List>
  )
}

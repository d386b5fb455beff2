/** How many contacts a definition selects while it is written, with ten of them. */
import { Loader, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Group as ConditionGroup } from '../../../../src/contract/segments.ts'
import type { Got } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { PageLink } from '../../parts/links.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { hasAllValues } from './conditions.ts'

export function LiveCount({ definition }: { definition: ConditionGroup }) {
  const { t, i18n } = useTranslation('segments')
  const { data, error, isBusy, isMissing } = useCount(definition)
  const shown = (count: number): string => count.toLocaleString(i18n.language)
  return (
    <PaperSection
      title={t('count')}
      beside={isBusy && <Loader size="xs" aria-label={t('counting')} />}
    >
      <Stack gap="xs" aria-live="polite">
        {isMissing && <Text c="dimmed">{t('incomplete')}</Text>}
        {error && !isMissing && <Failure error={error} />}
        {data && !error && (
          <>
            <Text fw={600}>
              {t('contacts', { count: data.contacts, number: shown(data.contacts) })}
            </Text>
            <Text c="dimmed">
              {t('reachable', { count: data.subscribed, number: shown(data.subscribed) })}
            </Text>
            <Sample of={data.sample} />
          </>
        )}
      </Stack>
    </PaperSection>
  )
}

function Sample({ of }: { of: Got<'countSegment'>['sample'] }) {
  const { t } = useTranslation('segments')
  if (of.length === 0) return null
  return (
    <Stack gap={4} component="ul" m={0} p={0} aria-label={t('sample')}>
      {of.map(({ id, email }) => (
        <Group key={id} component="li" gap="xs" wrap="nowrap" miw={0}>
          <PageLink to={`subscribers/${id}`} size="sm" truncate>
            {email}
          </PageLink>
        </Group>
      ))}
    </Stack>
  )
}

/**
 * The service counts a moment after the user's last change; a count that is no longer awaited is
 * given up. The previous answer stays meanwhile.
 */
function useCount(definition: ConditionGroup) {
  const [paused] = useDebouncedValue(definition, 400)
  const isMissing = !hasAllValues(definition)
  const { data, error, isFetching } = useAsk(
    'countSegment',
    { body: { definition: paused } },
    { enabled: hasAllValues(paused) },
  )
  const [last, setLast] = useState<Got<'countSegment'> | null>(null)
  // The hook stores the last answer while the next is on its way (React: adjusting state when a
  // value changes).
  if (data && data !== last) setLast(data)
  return { data: data ?? last, error, isBusy: isFetching, isMissing }
}

/** The section says why mail servers refused mail of a domain lately, and what mends it. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { Moment } from '../../parts/Moment.tsx'
import { RefusalNotice } from '../../parts/RefusalNotice.tsx'
import { Section } from '../../parts/Section.tsx'

export function DomainRefusals({ name }: { name: string }) {
  const { t, i18n } = useTranslation('settings')
  const { data } = useAsk('listRefusals', { params: { name } }, { poll: 30_000 })
  if (data === undefined) return null
  return (
    <Section title={t('refusals')} about={t('refusalsAbout')} size="h2">
      {data.data.length === 0 && <Text c="dimmed">{t('noRefusals')}</Text>}
      {data.data.map((refusal) => (
        <RefusalNotice
          key={refusal.cause}
          refusal={refusal}
          beside={
            <>
              {t('refusedTimes', {
                count: refusal.count,
                n: refusal.count.toLocaleString(i18n.language),
              })}{' '}
              {refusal.last_at !== null && <Moment at={refusal.last_at} />}
            </>
          }
        />
      ))}
    </Section>
  )
}

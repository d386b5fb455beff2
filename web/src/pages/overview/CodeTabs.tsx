/** The program that sends the same mail, in six languages, with a key that was made for it. */
import { Alert, Button, Stack, Tabs, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Code } from '../../parts/Code.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { sampleNames, writeSample, type Sample } from './code-samples.ts'

/** The place of a key that is not revealed. */
const hiddenKey = 'fct_live_…'

export function CodeTabs({ mail, smtp }: Pick<Sample, 'mail' | 'smtp'>) {
  const { t } = useTranslation('overview')
  const make = useAct('createApiKey', { refresh: ['listApiKeys', 'getAccount'] })
  const key = make.data?.key ?? null
  const sample = { mail, smtp, key: key ?? hiddenKey, baseUrl: window.location.origin }
  return (
    <Stack gap="sm" miw={0}>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List aria-label={t('sampleLanguages')}>
          {sampleNames.map(([name, label]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {sampleNames.map(([name, label]) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <SampleCode label={label} text={writeSample(name, sample)} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <RevealKey isRevealed={key !== null} make={make} />
    </Stack>
  )
}

function SampleCode({ label, text }: { label: string; text: string | null }) {
  const { t } = useTranslation('overview')
  if (text === null) return <Text>{t('noSmtp')}</Text>
  return <Code label={t('sampleIn', { language: label })}>{text}</Code>
}

interface RevealKeyProps {
  isRevealed: boolean
  make: ReturnType<typeof useAct<'createApiKey'>>
}

/** The service stores digests alone, so a key that can be shown is a new one. */
function RevealKey({ isRevealed, make }: RevealKeyProps) {
  const { t } = useTranslation('overview')
  const isOwner = useMay('owner')
  if (!isOwner) return <Text c="dimmed">{t('keyByOwner')}</Text>
  if (isRevealed)
    return (
      <Alert color="yellow" icon={<Icon name="warning" />} title={t('keyRevealed')} role="status">
        {t('keyRevealedWhy', { name: t('keyName') })}
      </Alert>
    )
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        variant="default"
        leftSection={<Icon name="keys" size={16} />}
        loading={make.isPending}
        onClick={() => make.mutate({ body: { name: t('keyName'), scopes: ['emails:send'] } })}
      >
        {t('revealKey')}
      </Button>
      <Text c="dimmed">{t('revealKeyWhy')}</Text>
      <Failure error={make.error} />
    </Stack>
  )
}

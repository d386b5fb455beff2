/** Recovery codes, shown this once: to be copied, or kept as a file. */
import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../parts/CopyField.tsx'

export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const { t } = useTranslation('users')
  const text = codes.join('\n')
  return (
    <Stack>
      <Text>{t('recoveryOnce')}</Text>
      <SimpleGrid cols={2} spacing="xs">
        {codes.map((code) => (
          <Code key={code} fz="sm" ta="center">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Group gap="xs">
          <CopyButton value={text} label={t('recoveryCodes')} />
          <Button
            component="a"
            variant="default"
            size="xs"
            href={`data:text/plain,${encodeURIComponent(text)}`}
            download="facteur-recovery-codes.txt"
          >
            {t('keepAsFile')}
          </Button>
        </Group>
        <Button onClick={onClose}>{t('keptThem')}</Button>
      </Group>
    </Stack>
  )
}

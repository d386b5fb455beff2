/** The files of a mail, which the browser downloads and never opens in place. */
import { Anchor, List, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export function FileList({
  files,
  addressOfFile,
}: {
  files: readonly { position: number; name: string | null; type: string | null; size: number }[]
  addressOfFile: (position: number) => string
}) {
  const { t, i18n } = useTranslation('emails')
  if (files.length === 0) return null
  const kilobytes = (size: number): string =>
    Math.max(1, Math.round(size / 1_024)).toLocaleString(i18n.language)
  return (
    <Stack gap="xs">
      <Title order={3}>{t('files')}</Title>
      <List listStyleType="none">
        {files.map(({ position, name, type, size }) => (
          <List.Item key={position}>
            <Anchor href={addressOfFile(position)} size="sm">
              <bdi>{name ?? t('namelessFile')}</bdi>
            </Anchor>{' '}
            <Text component="span" c="dimmed">
              {type !== null && (
                <>
                  <bdi>{type}</bdi> ·{' '}
                </>
              )}
              {t('kilobytes', { size: kilobytes(size) })}
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}

/** The frame of pages that stand before any workspace: signing in, links that work once. */
import { Anchor, Center, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import icon from '../../icon.svg'
import { changeLanguage, languageNow, languageOptions } from '../../language.ts'
import { AwayBar } from '../../parts/AwayBar.tsx'
import { useArrival } from '../../parts/use-arrival.ts'

interface UserFrameProps {
  title: string
  about?: ReactNode
  children: ReactNode
}

export function UserFrame({ title, about, children }: UserFrameProps) {
  // A change of the language draws this again.
  useTranslation('users')
  const heading = useArrival()
  useEffect(() => {
    document.title = `${title} · Facteur`
  }, [title])
  const others = languageOptions.filter(({ value }) => value !== languageNow())
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={440} gap="lg">
        <Group gap="xs" justify="center">
          <img src={icon} alt="" width={32} height={32} />
          <Text fw={650} size="lg">
            Facteur
          </Text>
        </Group>
        <AwayBar />
        <Paper withBorder p="lg" radius="md">
          <Stack>
            <Stack gap={6}>
              <Title order={1} ref={heading} tabIndex={-1} size="h2">
                {title}
              </Title>
              {about && <Text c="dimmed">{about}</Text>}
            </Stack>
            {children}
          </Stack>
        </Paper>
        <Group justify="center">
          {others.map(({ value, label }) => (
            <Anchor
              key={value}
              component="button"
              type="button"
              size="sm"
              lang={value}
              onClick={() => void changeLanguage(value)}
            >
              {label}
            </Anchor>
          ))}
        </Group>
      </Stack>
    </Center>
  )
}

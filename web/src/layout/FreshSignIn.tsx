/** Asks the person to show who they are before what matters; the call that was refused then goes out again. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { answerWhoItIs, isAsked, onAsked } from '../api/fresh-sign-in.ts'

export function FreshSignIn(): ReactNode {
  const { t } = useTranslation('shell')
  const asked = useSyncExternalStore(onAsked, isAsked)
  return (
    <Modal opened={asked} onClose={() => answerWhoItIs(false)} title={t('showWhoYouAre')}>
      <Stack>
        <Text size="sm">{t('freshWhy')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => answerWhoItIs(false)}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

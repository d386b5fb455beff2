/** What stands in a draft's way, what would harm it, and whom it would reach; each with the way to its place. */
import { Alert, Button, Drawer, Group, Loader, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DraftPreflight } from '../../../../../src/contract/workspace/drafts.ts'
import { useAct } from '../../../api/use-ask.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { Icon } from '../../../parts/Icon.tsx'
import { useEditor } from './editor-context.ts'
import { useFindingLines } from './finding-lines.ts'
import { Findings } from './Findings.tsx'
import type { Spot } from './find-place.ts'

interface CheckProps {
  id: string
  saveNow: () => Promise<boolean>
  onShow: (spot: Spot) => void
}

export function Check({ id, saveNow, onShow }: CheckProps) {
  const { t } = useTranslation('drafts')
  const [opened, { open, close }] = useDisclosure()
  const [saving, setSaving] = useState(false)
  const preflight = useAct('preflightDraft')
  const check = async (): Promise<void> => {
    open()
    setSaving(true)
    const isSaved = await saveNow()
    setSaving(false)
    if (isSaved) preflight.mutate({ params: { id } })
  }
  const isBusy = saving || preflight.isPending
  return (
    <>
      <Button variant="default" leftSection={<Icon name="check" size={16} />} onClick={() => void check()}>
        {t('check')}
      </Button>
      <Drawer opened={opened} onClose={close} title={t('checkTitle')} position="right" size="md">
        <Stack>
          {isBusy && (
            <Group role="status">
              <Loader size="sm" />
              <Text>{t('checking')}</Text>
            </Group>
          )}
          {!isBusy && !preflight.data && !preflight.error && <Text>{t('checkNeedsSaved')}</Text>}
          <Failure error={preflight.error} retry={() => void check()} />
          {!isBusy && preflight.data && (
            <Found
              preflight={preflight.data}
              onShow={(spot) => {
                close()
                onShow(spot)
              }}
            />
          )}
          {!isBusy && (
            <Button variant="default" size="xs" leftSection={<Icon name="refresh" size={14} />} onClick={() => void check()}>
              {t('checkAgain')}
            </Button>
          )}
        </Stack>
      </Drawer>
    </>
  )
}

function Found({ preflight, onShow }: { preflight: DraftPreflight; onShow: (spot: Spot) => void }) {
  const { t, i18n } = useTranslation('drafts')
  const { typed, blocks } = useEditor()
  const { audience } = preflight
  const lines = useFindingLines()(preflight, typed, blocks)
  const bad = lines.filter(({ tone }) => tone === 'bad').length
  return (
    <Stack gap="sm">
      <Alert color={bad > 0 ? 'red' : 'teal'} role="status" title={bad > 0 ? t('checkBad', { count: bad }) : t('checkGood')}>
        {t('checkReach', { count: audience.reachable, number: audience.reachable.toLocaleString(i18n.language) })}
      </Alert>
      <Findings
        lines={lines}
        renderWay={({ spot, text }) =>
          spot && (
            <Button
              size="compact-xs"
              variant="subtle"
              flex="none"
              onClick={() => onShow(spot)}
              aria-label={t('showWhere', { what: text })}
            >
              {t('show')}
            </Button>
          )
        }
      />
    </Stack>
  )
}

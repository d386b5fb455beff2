/** What stands in a draft's way, what would harm it, and whom it would reach; each with the way to its place. */
import { Button, Drawer, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DraftPreflight } from '../../../../../src/contract/workspace/drafts.ts'
import { useAct } from '../../../api/use-ask.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { IconButton } from '../../../parts/IconButton.tsx'
import { useEditor } from './editor-context.ts'
import { CheckAgain, Checking, Findings, Verdict, useFindingLines } from './Findings.tsx'
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
      <IconButton variant="default" icon="check" label={t('check')} onClick={() => void check()} />
      <Drawer opened={opened} onClose={close} title={t('checkTitle')} position="right" size="md">
        <Stack>
          {isBusy && <Checking />}
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
          {!isBusy && <CheckAgain onClick={() => void check()} />}
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
  return (
    <Stack gap="sm">
      <Verdict lines={lines}>
        {t('checkReach', { count: audience.reachable, number: audience.reachable.toLocaleString(i18n.language) })}
      </Verdict>
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

/** The check lists a draft's problems and its audience; each line has a link to its place. */
import { Button, Drawer, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { DraftPreflight } from '../../../../../src/contract/workspace/drafts.ts'
import { useAct } from '../../../api/use-ask.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { IconButton } from '../../../parts/IconButton.tsx'
import { useWork } from '../../../parts/use-work.ts'
import { DefaultFor } from './DefaultFor.tsx'
import { useEditor } from './editor-context.ts'
import { useFindingLines } from './finding-lines.ts'
import { CheckAgain, Checking, Findings } from './Findings.tsx'
import type { Spot } from './find-spot.ts'
import { withDefault } from './merge-tag.ts'
import { Verdict } from './Verdict.tsx'

interface CheckProps {
  id: string
  saveNow: () => Promise<boolean>
  onShow: (spot: Spot) => void
}

export function Check({ id, saveNow, onShow }: CheckProps) {
  const { t } = useTranslation('drafts')
  const [opened, { open, close }] = useDisclosure()
  const { isBusy: isSaving, start } = useWork()
  const preflight = useAct('preflightDraft')
  const check = (): void => {
    open()
    start(async () => {
      if (await saveNow()) preflight.mutate({ params: { id } })
    })
  }
  const isBusy = isSaving || preflight.isPending
  return (
    <>
      <IconButton variant="default" icon="check" label={t('check')} onClick={check} />
      <Drawer opened={opened} onClose={close} title={t('checkTitle')} position="right" size="md">
        <Stack>
          {isBusy && <Checking />}
          {!isBusy && !preflight.data && !preflight.error && <Text>{t('checkNeedsSaved')}</Text>}
          <Failure error={preflight.error} retry={check} />
          {!isBusy && preflight.data && (
            <PreflightResult
              preflight={preflight.data}
              checkAgain={check}
              onShow={(spot) => {
                close()
                onShow(spot)
              }}
            />
          )}
          {!isBusy && <CheckAgain onClick={check} />}
        </Stack>
      </Drawer>
    </>
  )
}

interface FoundProps {
  preflight: DraftPreflight
  checkAgain: () => void
  onShow: (spot: Spot) => void
}

function PreflightResult({ preflight, checkAgain, onShow }: FoundProps) {
  const { t, i18n } = useTranslation('drafts')
  const { typed, blocks, change } = useEditor()
  const { audience } = preflight
  const lines = useFindingLines()(preflight, typed, blocks)
  return (
    <Stack gap="sm">
      <Verdict lines={lines}>
        {t('checkReach', {
          count: audience.reachable,
          number: audience.reachable.toLocaleString(i18n.language),
        })}
      </Verdict>
      <Findings
        lines={lines}
        renderRemedy={({ tag: name }) =>
          name !== undefined && (
            <DefaultFor
              name={name}
              onUse={(fallback) => {
                change(withDefault(typed, { name, fallback }))
                checkAgain()
              }}
            />
          )
        }
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

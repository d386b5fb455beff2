/** Checks a draft for problems, and sends a test mail to the user. */
import { Button, Drawer, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { DraftPreflight } from '../../../../../src/contract/workspace/drafts.ts'
import { useAct } from '../../../api/use-ask.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { IconButton } from '../../../parts/IconButton.tsx'
import { notifyDone, useNotifyRefused } from '../../../api/notify.ts'
import { useWork } from '../../../parts/use-work.ts'
import type { DraftSaverState } from './draft-saver.ts'
import { useEditor } from './editor-context.ts'
import { CheckAgain, Checking, Findings, Verdict, useFindingLines } from './Findings.tsx'
import type { Spot } from './find-place.ts'

interface DraftProps {
  id: string
  saveNow: () => Promise<boolean>
}

/** The check lists the draft's problems and its audience; each line has a link to its place. */
export function Check({ id, saveNow, onShow }: DraftProps & { onShow: (spot: Spot) => void }) {
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
            <Found
              preflight={preflight.data}
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

/** The test mail leaves once the draft is saved and finished. */
export function TestSend({ id, state, saveNow }: DraftProps & { state: DraftSaverState }) {
  const { t } = useTranslation('drafts')
  const notifyRefused = useNotifyRefused()
  const { isBusy, start } = useWork()
  const { mutateAsync } = useAct('sendDraftTest')
  const isUnfinished = state.phase === 'saved' && state.problems.length > 0
  const send = async (): Promise<void> => {
    if (await saveNow()) notifyDone(t('testSent', { to: (await mutateAsync({ params: { id } })).to }))
  }
  return (
    <IconButton
      variant="default"
      icon="send"
      label={t('sendTest')}
      loading={isBusy}
      disabled={isUnfinished}
      title={isUnfinished ? t('testNeedsFinished') : undefined}
      onClick={() => start(() => send().catch(notifyRefused))}
    />
  )
}

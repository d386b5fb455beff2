/** Checks a draft for problems, and sends a test mail to the user. */
import { Button, Drawer, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
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
import type { Spot } from './find-spot.ts'
import { fallbackMax, withDefault } from './merge-tag.ts'
import { sayTag } from './say-finding.ts'

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

/** Readers without the value get these words in its place. */
function DefaultFor({ name, onUse }: { name: string; onUse: (fallback: string) => void }) {
  const { t } = useTranslation('drafts')
  const [fallback, setFallback] = useState('')
  return (
    <Group
      component="form"
      gap="xs"
      align="flex-end"
      onSubmit={(event) => {
        event.preventDefault()
        onUse(fallback.trim())
      }}
    >
      <TextInput
        size="xs"
        flex={1}
        label={t('defaultFor', { what: sayTag(name, t) })}
        value={fallback}
        maxLength={fallbackMax}
        onChange={(event) => setFallback(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" disabled={fallback.trim() === ''}>
        {t('defaultUse')}
      </Button>
    </Group>
  )
}

/** The test mail leaves once the draft is saved and finished. */
export function TestSend({ id, state, saveNow }: DraftProps & { state: DraftSaverState }) {
  const { t } = useTranslation('drafts')
  const notifyRefused = useNotifyRefused()
  const { isBusy, start } = useWork()
  const { mutateAsync } = useAct('sendDraftTest')
  const isUnfinished = state.phase === 'saved' && state.problems.length > 0
  const sendToMe = async (): Promise<string> =>
    (await mutateAsync({ params: { id }, body: {} })).data.map(({ to }) => to).join(', ')
  const send = async (): Promise<void> => {
    if (await saveNow()) notifyDone(t('testSent', { to: await sendToMe() }))
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

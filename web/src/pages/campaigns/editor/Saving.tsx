/**
 * Shows whether the service has the typed text, and offers the choice between two versions after
 * another user's save.
 */
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import { useAct, useAsk } from '../../../api/use-ask.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { OnceDialog } from '../../../parts/FormDialog.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { sayWhat } from '../../../api/refusal-words.ts'
import { useWork } from '../../../parts/use-work.ts'
import classes from './Conflict.module.css'
import { audienceRequestOf, valuesOf } from './audience-values.ts'
import type { DraftSaver, DraftSaverState } from './draft-saver.ts'
import { versionLines } from './version-lines.ts'
import { linesOf } from './ways.ts'

/**
 * The second of two windows shows both versions, and its user chooses; the other becomes a draft of
 * its own, so nothing is lost.
 */
export function Conflict({ state, keeper }: { state: DraftSaverState; keeper: DraftSaver }) {
  const { t } = useTranslation('drafts')
  const { data: me } = useAsk('getSession')
  const { error, isBusy, start } = useWork()
  const { mutateAsync: createDraft } = useAct('createDraft')
  const { mutateAsync: setTopic } = useAct('setCampaignTopic')
  const { mutateAsync: setAudience } = useAct('setCampaignAudience')
  const { conflict: newer, typed: mine } = state
  const original = { params: { id: newer?.id ?? '' } }
  const { data: run } = useAsk('getCampaignRun', original, { enabled: newer !== null })
  const { data: audience } = useAsk('getCampaignAudience', original, { enabled: newer !== null })
  if (!newer) return null
  // A user with two tabs meets their own version.
  const isOwn = newer.savedBy !== null && newer.savedBy === me?.person.email
  const who = isOwn ? t('otherWindow') : (newer.savedBy ?? t('aProgram'))
  const copyName = (of: string): string => `${mine.name.slice(0, 60)} (${of.slice(0, 50)})`
  const takeOthers = (): void =>
    start(async () => {
      const { id } = await createDraft({ body: { ...mine, name: copyName(t('mine')) } })
      const topic = run?.campaign.topic?.id ?? null
      if (topic !== null) await setTopic({ params: { id }, body: { topic } })
      if (audience)
        await setAudience({ params: { id }, body: audienceRequestOf(valuesOf(audience)) })
      await keeper.choose('newer', null)
    })
  const keepMine = (): void => start(() => keeper.choose('mine', copyName(who)))
  return (
    <OnceDialog
      opened
      onClose={() => undefined}
      size="xl"
      title={isOwn ? t('conflictOwnTitle') : t('conflictTitle')}
    >
      <Stack>
        {/* A user who is typing as this opens presses nothing by it. */}
        <Text size="md" tabIndex={-1} data-autofocus>
          {isOwn ? t('conflictOwnWhy') : t('conflictWhy', { who })} <Moment at={newer.savedAt} />
        </Text>
        <div className={classes.sides}>
          <Side
            title={isOwn ? t('ownOtherVersion') : t('theirVersion', { who })}
            draft={newer}
            other={mine}
          />
          <Side title={isOwn ? t('thisVersion') : t('myVersion')} draft={mine} other={newer} />
        </div>
        <Text c="dimmed">{t('conflictKept')}</Text>
        <Failure error={error} />
        <Group justify="flex-end">
          <Button variant="default" disabled={isBusy} onClick={takeOthers}>
            {isOwn ? t('takeOther') : t('takeTheirs')}
          </Button>
          <Button loading={isBusy} onClick={keepMine}>
            {isOwn ? t('keepThis') : t('keepMine')}
          </Button>
        </Group>
      </Stack>
    </OnceDialog>
  )
}

/** Shows a version as lines, and marks those that the other version does not have. */
function Side({ title, draft, other }: { title: string; draft: TypedDraft; other: TypedDraft }) {
  const { t } = useTranslation('drafts')
  const names = Object.keys(linesOf(draft)).filter((name) => name in other)
  const others = new Set(versionLines(other, names, t).map(({ identity }) => identity))
  return (
    <section aria-label={title} className={classes.side}>
      <Text size="md" fw={600}>
        {title}
      </Text>
      {versionLines(draft, names, t).map(({ text, identity }, at) => (
        // Lines may be alike and have no name but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <p key={at} className={classes.line}>
          {others.has(identity) ? text : <mark>{text}</mark>}
        </p>
      ))}
    </section>
  )
}

/** Since when, and what stands in the way. */
export function SaveState({ state, onRetry }: { state: DraftSaverState; onRetry: () => void }) {
  const { t } = useTranslation('drafts')
  const { t: shell } = useTranslation('shell')
  if (state.conflict) return <Text component="span">{t('waitsForChoice')}</Text>
  if (state.phase === 'unsaved' && state.error)
    return (
      <Text component="span" c="red.9" role="alert">
        {t('notSaved', { why: sayWhat(state.error, shell) })}{' '}
        <Anchor component="button" type="button" size="sm" onClick={onRetry}>
          {t('saveAgain')}
        </Anchor>
      </Text>
    )
  const word =
    state.phase === 'saved' ? (state.problems.length > 0 ? 'savedUnfinished' : 'saved') : 'saving'
  return (
    <Text component="span" c="dimmed" data-save-state={state.phase}>
      {t(word, { count: state.problems.length })}
    </Text>
  )
}

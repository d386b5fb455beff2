/** Shows whether the service has the typed text, and offers the choice between two versions after another user's save. */
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import { api } from '../../../api/client.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { OnceDialog } from '../../../parts/FormDialog.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { sayWhat } from '../../../api/refusal-words.ts'
import { useWork } from '../../../parts/use-work.ts'
import { readBlocks, type Block } from './blocks.ts'
import classes from './Conflict.module.css'
import type { DraftSaver, DraftSaverState } from './draft-saver.ts'
import { linesOf } from './ways.ts'

/** The second of two users sees both versions and chooses; the other becomes a draft of its own, so nothing is lost. */
export function Conflict({ state, keeper }: { state: DraftSaverState; keeper: DraftSaver }) {
  const { t } = useTranslation('drafts')
  const { error, isBusy, start } = useWork()
  const { conflict: newer, typed: mine } = state
  if (!newer) return null
  const who = newer.savedBy ?? t('aProgram')
  const copyName = (of: string): string => `${mine.name.slice(0, 60)} (${of.slice(0, 50)})`
  const takeOthers = (): void =>
    start(async () => {
      await api.createDraft({ body: { ...mine, name: copyName(t('mine')) } })
      await keeper.choose('newer', null)
    })
  const keepMine = (): void => start(() => keeper.choose('mine', copyName(who)))
  return (
    <OnceDialog opened onClose={() => undefined} size="xl" title={t('conflictTitle')}>
      <Stack>
        {/* A user who is typing as this opens presses nothing by it. */}
        <Text size="md" tabIndex={-1} data-autofocus>
          {t('conflictWhy', { who })} <Moment at={newer.savedAt} />
        </Text>
        <div className={classes.sides}>
          <Side title={t('theirVersion', { who })} draft={newer} other={mine} />
          <Side title={t('myVersion')} draft={mine} other={newer} />
        </div>
        <Text c="dimmed">{t('conflictKept')}</Text>
        <Failure error={error} />
        <Group justify="flex-end">
          <Button variant="default" disabled={isBusy} onClick={takeOthers}>
            {t('takeTheirs')}
          </Button>
          <Button loading={isBusy} onClick={keepMine}>
            {t('keepMine')}
          </Button>
        </Group>
      </Stack>
    </OnceDialog>
  )
}

/** Shows a version as lines, and marks those that the other version does not have. */
function Side({ title, draft, other }: { title: string; draft: TypedDraft; other: TypedDraft }) {
  const others = new Set(wordsOf(other))
  return (
    <section aria-label={title} className={classes.side}>
      <Text size="md" fw={600}>
        {title}
      </Text>
      {wordsOf(draft).map((line, at) => (
        // Lines may be alike and have no name but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <p key={at} className={classes.line}>
          {others.has(line) ? line : <mark>{line}</mark>}
        </p>
      ))}
    </section>
  )
}

function wordsOf(typed: TypedDraft): string[] {
  const { kind, text, content, html } = typed
  const above = Object.values(linesOf(typed)).filter((line) => typeof line === 'string')
  const written =
    kind === 'text' ? text.split('\n') : kind === 'html' ? html.split('\n') : readBlocks(content).flatMap(linesOfBlock)
  return [...above, ...written].filter((line) => line.trim() !== '')
}

function linesOfBlock({ type, text, items = [], src, href, html, columns = [] }: Block): string[] {
  const own = [text, ...items, src, href, html].filter((line): line is string => line !== undefined && line !== '')
  return [...(own.length === 0 && columns.length === 0 ? [`[${type}]`] : own), ...columns.flat().flatMap(linesOfBlock)]
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
  const word = state.phase === 'saved' ? (state.problems.length > 0 ? 'savedUnfinished' : 'saved') : 'saving'
  return (
    <Text component="span" c="dimmed" data-save-state={state.phase}>
      {t(word, { count: state.problems.length })}
    </Text>
  )
}

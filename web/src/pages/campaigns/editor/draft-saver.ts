/**
 * Saves a draft while the user types: into the browser's storage at once, and to the service at
 * each pause, one save at a time. Each save names the version that it is based on. Another user's
 * version stops the saver until the user has chosen. A service that does not answer gets the save
 * again. The saver never drops typed text.
 */
import type { Draft, TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'

/** A save answers these fields of the draft. */
export type Saved = Pick<Draft, 'version' | 'problems' | 'savedAt' | 'savedBy'>

/** `version` is the one that `typed` is based on. */
export interface DraftSaverState extends Saved {
  typed: TypedDraft
  /** The service found the problems in this text; the user may have typed something else since. */
  checked: TypedDraft
  /** `unsaved`: the service did not answer or refused the save, and the saver tries again. */
  phase: 'saved' | 'changed' | 'saving' | 'unsaved'
  /** The error of the last save. */
  error: unknown
  /** The version that another user saved meanwhile, until the user has chosen. */
  conflict: Draft | null
}

/** The browser stores unsaved text with the version that it is based on. */
export interface Unsaved {
  version: number
  typed: TypedDraft
}

export interface DraftSaverParts {
  save(typed: TypedDraft, version: number, keepAs: string | null): Promise<Saved>
  /** Returns the newer draft that a refusal carries; null for other errors. */
  newerOf(error: unknown): Draft | null
  /** Stores unsaved text across a reload. Null if there is none. */
  remember(unsaved: Unsaved | null): void
  /** Calls back later; returns a function that cancels it. */
  later(work: () => void, ms: number): () => void
}

export type DraftSaver = ReturnType<typeof createDraftSaver>

const pauseMs = 900
const againMs = 5_000

export function createDraftSaver(opened: Draft, unsaved: Unsaved | null, parts: DraftSaverParts) {
  let state: DraftSaverState = { ...taken(opened), phase: 'saved', error: null, conflict: null }
  let callOff = (): void => undefined
  let underWay: Promise<void> | null = null
  let hasEnded = false
  /**
   * Each save passes this name, under which the service stores the newer draft, until one succeeds.
   */
  let copyName: string | null = null
  /** The service may have saved any of these, which the saver sent since the last answer. */
  const sent = new Set<TypedDraft>()
  const listeners = new Set<() => void>()

  const set = (change: Partial<DraftSaverState>): void => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const saveLater = (ms: number): void => {
    callOff()
    if (hasEnded) return
    callOff = parts.later(() => void save(), ms)
  }

  async function save(): Promise<void> {
    callOff()
    if (underWay) return underWay.then(save)
    if (state.phase === 'saved' || state.conflict) return
    underWay = attempt()
    await underWay
    underWay = null
    if (state.phase === 'changed') saveLater(pauseMs)
  }

  /**
   * Whether a newer version is the text typed here, saved by a call whose answer was lost on the
   * way.
   */
  function takeOwn(newer: Draft): boolean {
    const saved = taken(newer).typed
    if (![state.typed, ...sent].some((typed) => isSame(saved, typed))) return false
    markSaved(newer, saved)
    return true
  }

  function markSaved({ problems, savedAt, savedBy, version }: Saved, checked: TypedDraft): void {
    const isAll = isSame(checked, state.typed)
    copyName = null
    sent.clear()
    parts.remember(isAll ? null : { version, typed: state.typed })
    set({
      version,
      problems,
      checked,
      savedAt,
      savedBy,
      error: null,
      phase: isAll ? 'saved' : 'changed',
    })
  }

  async function attempt(): Promise<void> {
    const { typed, version } = state
    set({ phase: 'saving' })
    sent.add(typed)
    try {
      const saved = await parts.save(typed, version, copyName)
      markSaved(saved, typed)
    } catch (error) {
      const newer = parts.newerOf(error)
      if (newer && takeOwn(newer)) return
      set({ phase: 'unsaved', ...(newer ? { conflict: newer, error: null } : { error }) })
      if (!newer) saveLater(againMs)
    }
  }

  const keeper = {
    state: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    change(change: Partial<TypedDraft>): void {
      const typed = { ...state.typed, ...change }
      parts.remember({ version: state.version, typed })
      set({
        typed,
        phase:
          state.phase === 'saving' ? 'saving' : state.phase === 'saved' ? 'changed' : state.phase,
      })
      if (!state.conflict && state.phase !== 'saving')
        saveLater(state.phase === 'unsaved' ? againMs : pauseMs)
    },
    /** Resolves when the service has saved all typed text; false when it could not. */
    async saveNow(): Promise<boolean> {
      await save()
      if (state.phase === 'changed') await save()
      return state.phase === 'saved'
    },
    /** Takes over a version that a poll read, unless the user has typed: then the two conflict. */
    meet(draft: Draft): void {
      if (draft.version <= state.version || state.phase === 'saving' || state.conflict) return
      if (state.phase === 'saved') set(taken(draft))
      else if (takeOwn(draft)) {
        callOff()
        if (state.phase === 'changed') saveLater(pauseMs)
      } else {
        callOff()
        set({ conflict: draft, phase: 'unsaved' })
      }
    },
    /**
     * `mine` replaces the newer draft, which becomes a draft of the name `keepAs`; `newer` takes
     * the newer one over.
     */
    async choose(side: 'mine' | 'newer', keepAs: string | null): Promise<void> {
      const { conflict } = state
      if (!conflict) return
      if (side === 'newer') {
        parts.remember(null)
        set({ ...taken(conflict), phase: 'saved', conflict: null, error: null })
        return
      }
      parts.remember({ version: conflict.version, typed: state.typed })
      copyName = keepAs
      set({ version: conflict.version, conflict: null, phase: 'changed' })
      await save()
    },
    /** Saves a last time without another try; the browser stores text that this save could not. */
    async end(): Promise<void> {
      hasEnded = true
      await keeper.saveNow()
    },
  }
  if (unsaved) {
    // Pages of a previous version may have stored it: a field that they did not know has its saved
    // value.
    set({ typed: { ...state.typed, ...unsaved.typed }, version: unsaved.version, phase: 'unsaved' })
    if (unsaved.version < opened.version && !takeOwn(opened)) set({ conflict: opened })
    else if (unsaved.version >= opened.version) saveLater(0)
  }
  return keeper
}

const isSame = (a: TypedDraft, b: TypedDraft): boolean =>
  Object.entries(a).every(
    ([name, value]) =>
      JSON.stringify(value) === JSON.stringify(new Map(Object.entries(b)).get(name)),
  )

/** The user types every field but those of the draft's state. */
function taken(draft: Draft): Omit<DraftSaverState, 'phase' | 'error' | 'conflict'> {
  const { object: _object, id: _id, status: _status, unfinished: _unfinished, ...rest } = draft
  const { version, problems, savedAt, savedBy, ...typed } = rest
  return { typed, version, problems, checked: typed, savedAt, savedBy }
}

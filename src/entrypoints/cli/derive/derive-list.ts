/**
 * Derives a list from an operation: every page of it, of one workspace or of all, as a table or as
 * `--json`.
 */
import { operations, type OperationId } from '../../../contract/operations.ts'
import type { Operation } from '../../../contract/operation.ts'
import { limits } from '../../../contract/limits.ts'
import { eachWorkspace } from '../../../core/each-workspace.ts'
import type { WorkspaceRow } from '../../../db/workspaces/workspaces.ts'
import type { Command, CommandContext } from '../command.ts'
import { resolveWorkspace } from '../workspace-command.ts'
import { cellOf, titleOf } from '../present.ts'
import { listed } from '../result.ts'
import {
  callIn,
  deriveWith,
  withIds,
  type Body,
  type DerivedCall,
  type OwnWords,
} from './derive-command.ts'

type RowOf<Id extends OperationId> =
  Body<Id> extends { data: (infer Row extends object)[] } ? Row : never

interface Table<Id extends OperationId, Row> {
  /** The entries of an answer that is no list. */
  rows?: (body: Body<Id>) => Row[]
  /** A field of the answer's entries, or a title with its cell. */
  columns: (
    | (keyof NoInfer<Row> & string)
    | { title: string; right?: true; cell: (row: NoInfer<Row>) => string }
  )[]
  /** Instead of an empty table. */
  empty: string
}

export function deriveList<const Id extends OperationId, Row extends object = RowOf<Id>>(
  id: Id,
  own: OwnWords & Table<Id, Row>,
): Command {
  type Entry = Row & { workspace: WorkspaceRow }
  return deriveWith(id, own, async (ctx, call) => {
    // Before anything is written, so that an unknown workspace is a refusal and not an empty list.
    const workspaceRow = call.W === null ? null : await resolveWorkspace(ctx, call.W)
    const columns = own.columns.map((column) =>
      typeof column === 'string' ? columnOf<Entry>(column) : column,
    )
    const workspaceColumn = { title: 'WORKSPACE', cell: ({ workspace }: Entry) => workspace.slug }
    const shown = firstOf<Entry>(shownMaxOf(call), (max) =>
      pagesOf<Id, Row>(ctx, call, { workspaceRow, max }),
    )
    return listed<Entry>({
      pages: shown.pages,
      hasMore: shown.hasMore,
      columns: own.everywhere
        ? [...columns.slice(0, 1), workspaceColumn, ...columns.slice(1)]
        : columns,
      json: ({ workspace, ...row }) => withIds(row, workspace, own.key),
      empty: own.empty,
    })
  })
}

/** Null means all of them. */
const shownMaxOf = ({ own, words }: DerivedCall<OperationId, OwnWords>): number | null =>
  typeof words['limit'] === 'number' && own.shownMax !== undefined
    ? words['limit']
    : (own.shownMax ?? null)

/** The first entries of pages; one more is read, so that it is known whether there are more. */
function firstOf<Entry>(max: number | null, read: (max: number) => AsyncGenerator<Entry[]>) {
  let isCut = false
  async function* pages(): AsyncGenerator<Entry[]> {
    let left = max ?? Infinity
    for await (const page of read(left + 1)) {
      isCut = page.length > left
      yield page.slice(0, left)
      if (isCut) return
      left -= page.length
    }
  }
  return { pages: pages(), hasMore: () => isCut }
}

/** `max`: entries that are asked for at first; the reader may stop after any page. */
async function* pagesOf<Id extends OperationId, Row extends object>(
  ctx: CommandContext,
  call: DerivedCall<Id, OwnWords & Table<Id, Row>>,
  { workspaceRow, max }: { workspaceRow: WorkspaceRow | null; max: number },
): AsyncGenerator<(Row & { workspace: WorkspaceRow })[]> {
  const { query }: Operation = operations[call.id]
  const isPaged = 'cursor' in query.properties
  for await (const workspaces of workspaceRow ? [[workspaceRow]] : eachWorkspace({ db: ctx.db })) {
    for (const workspace of workspaces) {
      for (let cursor = ''; ;) {
        const page = isPaged ? { limit: Math.min(limits.pageMax, max), cursor } : {}
        const { body } = await callIn(ctx, workspace, {
          ...call,
          parts: { ...call.parts, query: { ...call.parts.query, ...page } },
        })
        const {
          data: entries,
          has_more: hasMore = false,
          next_cursor: next = '',
        } = body as ListBody<Row>
        const data = call.own.rows?.(body) ?? entries
        if (data.length > 0) yield data.map((row) => ({ ...row, workspace }))
        if (!hasMore) break
        cursor = next
      }
    }
  }
}

/** Every list of the contract has this form; those without pages have no cursor. */
interface ListBody<Row> {
  data: Row[]
  has_more?: boolean
  next_cursor?: string
}

/** Times name their zone in the title. */
function columnOf<Row extends object>(
  name: keyof Row & string,
): { title: string; cell: (row: Row) => string } {
  const isTime = /(?:_at|At)$/.test(name)
  return {
    title: `${titleOf(name).toUpperCase()}${isTime ? ' (UTC)' : ''}`,
    cell: (row) => cellOf(row[name]),
  }
}

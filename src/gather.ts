/** Lets concurrent callers share one statement: what is asked while earlier work runs is done together. */

export interface GatherOptions<Item, Result> {
  /** Does the items together; the results in the items' order. When it rejects, every item of the group rejects. */
  work: (items: Item[]) => Promise<Result[]>
  /** Items of one group at most. */
  groupMax: number
  /** Groups under way at once at most. */
  atOnceMax: number
  /** While one is under way, how many must wait before another begins: small groups wait and become a larger one. Default 1. */
  besideMin?: number
}

/** Asks for one item; resolves with its own result. Groups begin at the end of the event loop's turn. */
export type Gather<Item, Result> = (item: Item) => Promise<Result>

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** Turns of the event loop that a group may grow in, at most. */
const turnsMax = 4

export function gather<Item, Result>(options: GatherOptions<Item, Result>): Gather<Item, Result> {
  let waiting: Waiting<Item, Result>[] = []
  let underWay = 0
  let scheduled = false

  const mayBegin = (): boolean =>
    underWay === 0 ? waiting.length > 0 : underWay < options.atOnceMax && waiting.length >= (options.besideMin ?? 1)

  // While each turn of the event loop brings more, the group is not complete: requests that arrive together come in turns.
  const settle = (before: number, turns: number): void => {
    if (waiting.length > before && turns < turnsMax) setImmediate(settle, waiting.length, turns + 1)
    else begin()
  }

  const begin = (): void => {
    scheduled = false
    while (mayBegin()) {
      const group = waiting.slice(0, options.groupMax)
      waiting = waiting.slice(options.groupMax)
      underWay++
      void run(group)
    }
  }

  const run = async (group: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await options.work(group.map((entry) => entry.item))
      group.forEach((entry, index) => {
        if (index in results) entry.resolve(results[index] as Result)
        else entry.reject(new Error('A shared statement answered fewer rows than it was asked'))
      })
    } catch (error) {
      for (const entry of group) entry.reject(error)
    } finally {
      underWay--
      schedule()
    }
  }

  const schedule = (): void => {
    if (scheduled || !mayBegin()) return
    scheduled = true
    setImmediate(settle, waiting.length, 1)
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}

/** One gather for each workspace, made when first asked and forgotten when nothing of it is under way. */
export function gatherByWorkspace<Item, Result>(
  options: Omit<GatherOptions<Item, Result>, 'work'> & { work: (workspaceId: number, items: Item[]) => Promise<Result[]> },
): (workspaceId: number, item: Item) => Promise<Result> {
  const gathers = new Map<number, { ask: Gather<Item, Result>; open: number }>()
  return async (workspaceId, item) => {
    let entry = gathers.get(workspaceId)
    if (!entry) {
      entry = { ask: gather({ ...options, work: (items) => options.work(workspaceId, items) }), open: 0 }
      gathers.set(workspaceId, entry)
    }
    entry.open++
    try {
      return await entry.ask(item)
    } finally {
      if (--entry.open === 0) gathers.delete(workspaceId)
    }
  }
}

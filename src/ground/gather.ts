/**
 * Lets concurrent callers share one statement: requests that arrive while earlier work runs are
 * handled together. With `inHalves`, one half of a crowd is written while the other is answered.
 */

export interface GatherOptions<Item, Result> {
  /**
   * Handles the items together, with results in their order. When it rejects, every item of the
   * group rejects.
   */
  work: (items: Item[]) => Promise<Result[]>
  /** Items of one group at most. */
  groupMax: number
  /** Groups under way at once at most. Default 1. */
  atOnceMax?: number
  /**
   * How many must wait before another group begins beside a running one, so that small groups grow.
   * Default 1. With `inHalves`, a whole half must wait, and this value is unused.
   */
  besideMin?: number
  /**
   * Whether concurrent callers form two groups that take turns. Callers that are answered together
   * ask again together: as one group they would leave the database idle while we answer, and us
   * while it writes. For work that costs both sides.
   */
  inHalves?: boolean
  /**
   * How long a group waits for the other callers, in milliseconds: for statements that cost more
   * than the wait. Default 0.
   */
  patienceMs?: number
  /**
   * Counts the items that will be asked for soon: patience lasts only while there are some. Absent
   * means as many as asked together lately.
   */
  coming?: (() => number) | undefined
  /**
   * Counts the callers, also while they do something else between two calls. Those that ask now
   * count without it.
   */
  callers?: (() => number) | undefined
}

/**
 * Asks for one item; resolves with its result. A group begins when it is complete, or when no more
 * callers arrive together.
 */
export type Gather<Item, Result> = (item: Item) => Promise<Result>

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** Turns of the event loop that a group may grow in, at most. */
const turnsMax = 4

const halfOf = (count: number): number => Math.ceil(count / 2)

export const gather = <Item, Result>(options: GatherOptions<Item, Result>): Gather<Item, Result> =>
  makeGather(options, false).ask

/** `forgets`: whether it counts its callers from zero once nobody asks. */
function makeGather<Item, Result>(options: GatherOptions<Item, Result>, forgets: boolean) {
  const {
    work,
    groupMax,
    atOnceMax = 1,
    besideMin = 1,
    inHalves = false,
    patienceMs = 0,
    coming,
  } = options
  const callers = (): number => Math.max(waiting.length + itemsUnderWay, options.callers?.() ?? 0)
  const waiting: Waiting<Item, Result>[] = []
  let groupsUnderWay = 0
  let itemsUnderWay = 0
  let scheduled = false
  let patience: NodeJS.Timeout | null = null
  /** The recent maximum of concurrent callers. */
  let crowd = 0

  const isIdle = (): boolean => waiting.length + itemsUnderWay === 0

  const complete = (): number => (inHalves ? Math.min(groupMax, halfOf(crowd)) : groupMax)

  const mayBegin = (): boolean =>
    groupsUnderWay === 0
      ? waiting.length > 0
      : groupsUnderWay < atOnceMax && waiting.length >= (inHalves ? complete() : besideMin)

  const isWorthWaiting = (): boolean =>
    patienceMs > 0 &&
    waiting.length < (inHalves ? complete() : crowd) &&
    (coming === undefined || coming() > 0)

  const begin = (): void => {
    scheduled = false
    if (patience !== null) clearTimeout(patience)
    patience = null
    while (mayBegin()) {
      const group = waiting.splice(0, complete())
      groupsUnderWay++
      itemsUnderWay += group.length
      void run(group)
    }
  }

  // The group waits while each turn of the event loop adds callers, because requests that arrive
  // together span turns.
  const finalize = (before: number, turns: number): void => {
    if (waiting.length > before && waiting.length < complete() && turns < turnsMax)
      setImmediate(finalize, waiting.length, turns + 1)
    else begin()
  }

  const schedule = (): void => {
    if (scheduled || !mayBegin()) return
    scheduled = true
    // After the time, what lies in our sockets is read first: the loop may have been busy for
    // longer than that.
    if (isWorthWaiting()) patience = setTimeout(() => setImmediate(finalize, 0, 1), patienceMs)
    else setImmediate(finalize, waiting.length, 1)
  }

  const run = async (group: Waiting<Item, Result>[]): Promise<void> => {
    const answer = await work(group.map(({ item }) => item)).then(
      (results) => () => resolveEach(group, results),
      (error: unknown) => () => group.forEach(({ reject }) => reject(error)),
    )
    crowd = Math.max(callers(), crowd - 1)
    groupsUnderWay--
    itemsUnderWay -= group.length
    if (forgets && isIdle()) crowd = 0
    if (mayBegin() && waiting.length >= halfOf(complete())) {
      // The next group starts before these callers are answered, so that the database works
      // meanwhile.
      begin()
      setImmediate(answer)
    } else {
      answer()
      schedule()
    }
  }

  return {
    ask: (item: Item): Promise<Result> =>
      new Promise<Result>((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        crowd = Math.max(crowd, callers())
        if (waiting.length >= complete() || (patience !== null && !isWorthWaiting())) begin()
        else schedule()
      }),
    isIdle,
  }
}

function resolveEach<Item, Result>(group: Waiting<Item, Result>[], results: Result[]): void {
  group.forEach(({ resolve, reject }, index) => {
    if (index in results) resolve(results[index] as Result)
    else reject(new Error('A shared statement answered fewer rows than it was asked'))
  })
}

/** Gathers that are kept, idle ones too: a lone call would make its own each time. */
const keptMax = 1_000

/** One gather for each workspace, made at its first call. */
export function gatherByWorkspace<Item, Result>({
  work,
  coming,
  callers,
  ...options
}: Omit<GatherOptions<Item, Result>, 'work' | 'coming' | 'callers'> & {
  work: (workspaceId: number) => (items: Item[]) => Promise<Result[]>
  coming?: ((workspaceId: number) => number) | undefined
  callers?: ((workspaceId: number) => number) | undefined
}): (workspaceId: number, item: Item) => Promise<Result> {
  const gathers = new Map<number, ReturnType<typeof makeGather<Item, Result>>>()
  const make = (workspaceId: number) => {
    if (gathers.size >= keptMax)
      for (const [id, { isIdle }] of gathers) if (isIdle()) gathers.delete(id)
    const of = {
      work: work(workspaceId),
      coming: coming && (() => coming(workspaceId)),
      callers: callers && (() => callers(workspaceId)),
    }
    const inner = makeGather({ ...options, ...of }, true)
    gathers.set(workspaceId, inner)
    return inner
  }
  return (workspaceId, item) => (gathers.get(workspaceId) ?? make(workspaceId)).ask(item)
}

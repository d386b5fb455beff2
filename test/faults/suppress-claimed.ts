/**
 * Suppresses addresses at the two moments that matter: while their mail is leased, and while a
 * claim of it is under way.
 */
import { freezeClaims, type NoteClaims } from '../support/claim-notes.ts'
import { callUntilAnswered, describeEnd } from '../support/fault-calls.ts'
import type { ServiceProcess } from '../support/fault-process.ts'
import type { World } from '../support/fault-world.ts'
import { until } from '../support/until.ts'

export interface Answered {
  /**
   * When the call for an address had answered, in milliseconds of the wall clock, which is the
   * database's too.
   */
  times: Map<string, number>
  wrong: string[]
}

export interface SuppressClaimed extends Pick<NoteClaims, 'table'> {
  port: number
  /** Where the worker holds the mails that it has leased: `name` of its failpoint `name:hold`. */
  failpoint: string
  /** Addresses of leased mails. */
  leased(): Promise<string[]>
}

/** More than one of a kind, and fewer than the API has connections. */
const [ofKind, ofClaim] = [2, 6]

export async function suppressClaimed(
  world: World,
  worker: ServiceProcess,
  { port, table, failpoint, leased }: SuppressClaimed,
): Promise<Answered> {
  const answered: Answered = { times: new Map(), wrong: [] }
  const isDeferred = (email: string): boolean => email.startsWith('deferred+')
  await worker.pausesAt(failpoint)
  // Those that are deferred are to be claimed again; the others leave.
  const chosen = await until(
    async () => Object.values(Object.groupBy(await leased(), (email) => String(isDeferred(email)))),
    (kinds) => kinds.length === 2,
  )
  await Promise.all(
    chosen.flatMap((emails = []) =>
      emails.slice(0, ofKind).map((email) => suppress(world, port, email, answered)),
    ),
  )

  const claims = await freezeClaims(world, { table })
  worker.letGo()
  const calls = (await claims.addresses())
    .slice(0, ofClaim)
    .map((email) => suppress(world, port, email, answered))
  const before = answered.times.size
  await until(
    async () =>
      answered.times.size - before + answered.wrong.length + (await claims.waiting()) >=
      calls.length,
  )
  await claims.letGo()
  await Promise.all(calls)
  return answered
}

export async function suppress(
  world: World,
  port: number,
  email: string,
  { times, wrong }: Answered,
): Promise<void> {
  const requested = {
    url: world.addressOf(port),
    apiKey: world.apiKey,
    line: 'POST /api/v1/suppression',
    body: { email },
  }
  const end = await callUntilAnswered(requested)
  if (typeof end === 'string' || end.status !== 201)
    wrong.push(`suppressing ${email} ended with ${describeEnd(end)}`)
  else times.set(email, Date.now())
}

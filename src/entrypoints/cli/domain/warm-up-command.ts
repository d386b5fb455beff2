/**
 * `facteur domain warm-up`: limits how much of a new domain's mail leaves each day, until mail
 * hosts know it.
 */
import {
  endWarmUp,
  startWarmUp,
  warmUpOf,
  type WarmUpKey,
  type WarmUpRow,
} from '../../../db/sending/warm-ups.ts'
import type { CommandContext } from '../command.ts'
import { argument, flag } from '../parameters.ts'
import { CommandRefusal } from '../refusal.ts'
import { shownNumber, printed, shownTime, type Result } from '../result.ts'
import { readDomainFlag, readNumber, readWhole } from '../values.ts'
import { defineWorkspaceCommand } from '../workspace-command.ts'

const defaults = { firstDay: 50, growth: 2, finishAt: 50_000 }

export const domainWarmUp = defineWorkspaceCommand({
  name: 'domain warm-up',
  summary: 'Let the mail of a domain grow day by day, and show its progress',
  note: 'A campaign waits for the next day when this day has none left. Single mail counts, never waits, and has a fifth of each day reserved. A day is 24 hours from the start.',
  arguments: { DOMAIN: argument('The exact name.', readDomainFlag) },
  flags: {
    start: { text: 'Begins, or begins again.' },
    first: flag(
      'N',
      `Messages of the first day. Default: ${defaults.firstDay}.`,
      readWhole(1, 1_000_000),
    ),
    growth: flag(
      'N',
      `How many times as many each next day has. Default: ${defaults.growth}.`,
      readNumber(1.01, 10),
    ),
    until: flag(
      'N',
      `Messages a day from which on nothing is held back. Default: ${shownNumber(defaults.finishAt)}.`,
      readWhole(1, 1_000_000_000),
    ),
    stop: { text: 'Ends it: nothing is held back from now on.' },
  },
  examples: [
    'domain warm-up --workspace acme mail.acme.example --start',
    'domain warm-up --workspace acme mail.acme.example --start --first 200 --growth 1.5 --until 20000',
    'domain warm-up --workspace acme mail.acme.example',
  ],
  run: async (ctx, { DOMAIN, start, stop, first, growth, until }) => {
    const { id, slug } = ctx.workspace
    const key = { workspaceId: id, domain: DOMAIN }
    if (start && stop) throw new CommandRefusal('usage', '--start and --stop do not go together.')
    if (!start && (first ?? growth ?? until) !== null)
      throw new CommandRefusal('usage', '--first, --growth and --until go with --start.')
    if (stop) {
      const was = await endWarmUp(ctx.db, key)
      return printed(
        { id: DOMAIN, warm_up: null },
        `${DOMAIN} ${was ? 'is no longer warmed up' : 'was not warmed up'}: nothing is held back.`,
      )
    }
    if (start) {
      const plan = {
        firstDay: first ?? defaults.firstDay,
        growth: growth ?? defaults.growth,
        finishAt: until ?? defaults.finishAt,
      }
      if (plan.firstDay >= plan.finishAt)
        throw new CommandRefusal('usage', '--first is to be less than --until.')
      if (!(await startWarmUp(ctx.db, key, plan)))
        throw new CommandRefusal('not_found', `${slug} has no domain ${DOMAIN}.`)
    }
    return show(ctx, key, slug)
  },
})

async function show(ctx: CommandContext, key: WarmUpKey, slug: string): Promise<Result> {
  const row = await warmUpOf(ctx.db, key)
  if (row === null)
    return printed(
      { id: key.domain, warm_up: null },
      `${key.domain} is not warmed up. Next: facteur domain warm-up --workspace ${slug} ${key.domain} --start`,
    )
  return printed({ id: key.domain, warm_up: json(row) }, describeWarmUp(key.domain, row))
}

function describeWarmUp(domain: string, row: WarmUpRow): string {
  const since = `since ${shownTime(row.startedAt)} UTC`
  if (row.isOver) return `${domain}: warmed up ${since}; nothing is held back any more.`
  const daysLeft = daysUntilOver(row)
  return [
    `${domain}: day ${row.day + 1} of its warm-up, ${since}.`,
    `Today: ${shownNumber(row.used)} of ${shownNumber(row.allowance)} messages. Each day has ${row.growth} times as many; after ${daysLeft} more day${daysLeft === 1 ? '' : 's'} nothing is held back.`,
  ].join('\n')
}

const daysUntilOver = ({ firstDay, growth, finishAt, day }: WarmUpRow): number =>
  Math.max(1, Math.ceil(Math.log(finishAt / firstDay) / Math.log(growth)) - day)

const json = (row: WarmUpRow) => ({
  started_at: row.startedAt.toISOString(),
  ...{ first_day: row.firstDay, growth: row.growth, until: row.finishAt },
  ...{ day: row.day + 1, allowance: row.allowance, used: row.used, over: row.isOver },
})

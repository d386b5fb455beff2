/**
 * `facteur provider receivers`: what our own delivery begins with at each large receiver, and what
 * it learned there.
 */
import type { Config } from '../../../ground/config.ts'
import { connect } from '../../../database/client/connect.ts'
import { troubledDestinations, type TroubledDestination } from '../../../db/sending/destinations.ts'
import { firstHostOf } from '../../../providers/direct-mx/find-route.ts'
import { throttleLastsMs } from '../../../providers/direct-mx/pace.ts'
import {
  largeReceivers,
  otherReceivers,
  shapingOf,
  type LargeReceiver,
  type Shaping,
} from '../../../providers/direct-mx/receivers.ts'
import { withSchema } from '../cell-commands.ts'
import { defineCommand } from '../command.ts'
import { CommandRefusal } from '../refusal.ts'
import { listed, printed, shownTime } from '../result.ts'

/** A receiver with the destinations that are slowed or left alone now. */
interface Row {
  shaping: Shaping
  /** Null stands for the hosts that the file does not name. */
  about: LargeReceiver | null
  /** The limit that is in force: the smaller one of the receiver's and the deployment's. */
  connections: number
  learned: TroubledDestination[]
}

/** Destinations that are read at most. */
const learnedMax = 5_000
const names = [...largeReceivers, otherReceivers].map(({ name }) => name)

export const providerReceivers = defineCommand({
  name: 'provider receivers',
  summary:
    'Show what direct-mx begins with at large receivers, and which of their destinations are slowed or left alone now',
  note:
    'Connections and messages a second are those of all processes together. The rate grows while it is used, and what a destination asks for goes before it. ' +
    'A star marks a value that is our own caution: nobody publishes one, or the published one is higher. With a receiver: its hosts, its answers that keep mail away, the sources, and each destination.',
  arguments: {
    RECEIVER: { text: `One of ${names.join(', ')}.`, required: false, read: readReceiver },
  },
  examples: ['provider receivers', 'provider receivers google'],
  run: async (surroundings, { RECEIVER: receiver }) => {
    const rows = await withSchema(surroundings, async (connectionString) => {
      const db = connect({ connectionString, poolSize: 1, applicationName: 'facteur command' })
      try {
        return rowsOf(
          surroundings.readConfig(),
          await troubledDestinations(db, { slowedMs: throttleLastsMs, max: learnedMax }),
        )
      } finally {
        await db.end()
      }
    })
    const row = rows.find(({ shaping }) => shaping.name === receiver)
    if (row) return printed(toJson(row), describe(row))
    return listed({
      pages: onePage(rows),
      columns: [
        { title: 'RECEIVER', cell: ({ shaping }) => shaping.name },
        {
          title: 'CONNECTIONS',
          right: true,
          cell: (item) => marked(item, 'connections', item.connections),
        },
        {
          title: 'MESSAGES EACH',
          right: true,
          cell: (item) => marked(item, 'messages', item.shaping.messages),
        },
        {
          title: 'A SECOND, AT FIRST',
          right: true,
          cell: (item) => marked(item, 'perSecond', item.shaping.perSecond),
        },
        {
          title: 'AWAY AFTER ANSWERS',
          cell: (item) => marked(item, 'pauses', minutesOf(item.shaping)),
        },
        { title: 'READ ON', cell: ({ about }) => about?.checked ?? '-' },
        {
          title: 'SLOWED NOW',
          right: true,
          cell: ({ learned }) => String(learned.filter(({ slowed }) => slowed).length),
        },
        {
          title: 'LEFT ALONE NOW',
          right: true,
          cell: ({ learned }) => String(learned.filter(({ away }) => away).length),
        },
      ],
      json: toJson,
      empty: '',
    })
  },
})

function readReceiver(text: string): string {
  if (names.includes(text)) return text
  throw new CommandRefusal('usage', `"${text}" is none of ${names.join(', ')}.`)
}

function rowsOf(
  { mxConnections }: Pick<Config, 'mxConnections'>,
  destinations: TroubledDestination[],
): Row[] {
  const learned = Map.groupBy(destinations, ({ name }) => shapingOf(firstHostOf(name)).name)
  const rowOf = (shaping: Shaping, about: LargeReceiver | null): Row => ({
    ...{ shaping, about, connections: Math.min(mxConnections, shaping.connections) },
    learned: learned.get(shaping.name) ?? [],
  })
  return [
    ...largeReceivers.map((receiver) => rowOf(receiver, receiver)),
    rowOf(otherReceivers, null),
  ]
}

/**
 * A star behind a value of our own caution; not behind the deployment's lower limit of connections.
 */
function marked(
  { about, shaping, connections }: Row,
  value: string,
  shown: number | string,
): string {
  if (shown === Infinity || shown === '') return '-'
  const isOfReceiver = value === 'connections' && connections < shaping.connections
  return `${shown}${about?.caution.includes(value) === true && !isOfReceiver ? '*' : ''}`
}

const minutesOf = ({ pauses }: Shaping): string =>
  pauses.map(({ ms }) => `${ms / 60_000} min`).join(', ')

function describe(row: Row): string {
  const { shaping, about, connections, learned } = row
  return [
    about
      ? `${shaping.name}: ${about.hosts.map((end) => `*${end}`).join(', ')}`
      : 'others: all hosts that no receiver here has',
    `Connections: ${marked(row, 'connections', connections)}, with ${marked(row, 'messages', shaping.messages)} messages each.`,
    `Messages a second, at first: ${marked(row, 'perSecond', shaping.perSecond)}.`,
    ...shaping.pauses.map(
      ({ says, ms }) =>
        `Away for ${marked(row, 'pauses', `${ms / 60_000} min`)} after: ${says.source}`,
    ),
    ...(about
      ? [
          `Source, read on ${about.checked}: ${about.source}`,
          `* our own caution: ${about.caution.join(', ')}`,
        ]
      : []),
    '',
    ...(learned.length === 0
      ? ['No destination of it is slowed or left alone now.']
      : learned.flatMap(sayLearned)),
  ].join('\n')
}

function sayLearned({ name: destination, slowed, away }: TroubledDestination): string[] {
  const lines: string[] = []
  if (slowed)
    lines.push(
      `${destination} asked for a slower pace at ${shownTime(slowed.at)} UTC: ${slowed.perSecond} a second, ${countOf(slowed.connections)} of each process, growing since.`,
    )
  if (away)
    lines.push(
      `${destination} is left alone until ${shownTime(away.until)} UTC: ${away.response ?? 'no reason is known'}`,
    )
  return lines
}

const countOf = (connections: number): string =>
  `${connections} connection${connections === 1 ? '' : 's'}`

const toJson = ({ shaping, about, connections, learned }: Row) => ({
  id: shaping.name,
  hosts: about?.hosts.map((end) => `*${end}`) ?? [],
  connections,
  messages_per_connection: shaping.messages,
  first_rate_per_second: Number.isFinite(shaping.perSecond) ? shaping.perSecond : null,
  pauses: shaping.pauses.map(({ says, ms }) => ({ answer: says.source, minutes: ms / 60_000 })),
  caution: about?.caution ?? [],
  source: about?.source ?? null,
  checked: about?.checked ?? null,
  learned: learned.map(({ name, slowed, away }) => ({
    destination: name,
    slowed: slowed && {
      per_second: slowed.perSecond,
      connections: slowed.connections,
      at: slowed.at.toISOString(),
    },
    away: away && { until: away.until.toISOString(), response: away.response },
  })),
})

async function* onePage(rows: Row[]): AsyncGenerator<Row[]> {
  yield await Promise.resolve(rows)
}

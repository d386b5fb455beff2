/**
 * Starting values of traffic shaping for large receivers (receivers.json), by the ends of their
 * mail hosts' names: a company's domain behind Google's hosts is Google's mail.
 */
import data from './receivers.json' with { type: 'json' }

export interface Shaping {
  name: string
  /** Connections of all processes together. */
  connections: number
  /** Messages after which a connection is closed. */
  messages: number
  /** Messages a second of all processes together, at first: the rate grows while it is used. */
  perSecond: number
  /** Answers after which nothing is tried for a while. */
  pauses: readonly { says: RegExp; ms: number }[]
}

export interface LargeReceiver extends Shaping {
  /** Ends of its mail hosts' names, with the dot before them. */
  hosts: readonly string[]
  /** Values that are our own: nobody publishes them, or the published ones are higher. */
  caution: readonly string[]
  /** Where the other values are from. */
  source: string
  /** The day on which the source was read. */
  checked: string
}

/** The values of the hosts without a line in the file. */
export const otherReceivers: Shaping = {
  name: 'others',
  connections: Infinity,
  messages: 100,
  perSecond: Infinity,
  pauses: [],
}

export const largeReceivers: readonly LargeReceiver[] = data.receivers.map(
  ({ pauses, ...receiver }) => ({
    ...receiver,
    pauses: pauses.map(({ says, minutes }) => ({
      says: new RegExp(says, 'i'),
      ms: minutes * 60_000,
    })),
  }),
)

/** By the first host: backup hosts of a domain may be another's. */
export const shapingOf = (host: string): Shaping =>
  largeReceivers.find(({ hosts }) =>
    hosts.some((end) => host.endsWith(end) || host === end.slice(1)),
  ) ?? otherReceivers

/** How long such an answer asks us to stay away; 0: it does not. */
export const pauseMs = ({ pauses }: Shaping, response: string): number =>
  Math.max(0, ...pauses.filter(({ says }) => says.test(response)).map(({ ms }) => ms))

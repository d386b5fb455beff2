/**
 * A schedule of faults: when each begins and how long it lasts. The same seed draws the same
 * schedule.
 */
import { rest } from '../support/fault-calls.ts'
import type { Draw } from '../support/fault-draw.ts'
import { faultKinds, type Fault, type FaultKind } from './faults.ts'
import type { FaultWorld } from './play-schedule.ts'

export interface PlannedFault {
  fault: Fault
  /** From the start of the load, in milliseconds. */
  startMs: number
  lengthMs: number
}

/** Shorter and longer than a lease, which is 2 s here. */
const [lengthMinMs, lengthMaxMs] = [200, 3_500]

/**
 * Failpoints by which this share of the mails waits for a while between the final dot and its
 * record, so that a fault finds some there: the sink answers within a millisecond.
 */
export const slowRecords = (percent: number): string[] =>
  ['hand_off.before_record', 'campaign.before_record'].map(
    (failpoint) => `${failpoint}:delay:300@${percent}%`,
  )

const kinds = Object.keys(faultKinds) as FaultKind[]

/** Two to five of any kind. */
export const drawSchedule = (draw: Draw): PlannedFault[] =>
  Array.from({ length: draw.between(2, 5) }, () => planFault(draw, draw.pick(kinds)))

export const planFault = (draw: Draw, kind: FaultKind): PlannedFault => ({
  fault: faultKinds[kind](draw),
  startMs: draw.between(0, 2_500),
  lengthMs: draw.between(lengthMinMs, lengthMaxMs),
})

/** Resolves when all have ended. */
export async function playFaults(world: FaultWorld, planned: PlannedFault[]): Promise<void> {
  const ends = await Promise.allSettled(planned.map((fault) => playFault(world, fault)))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
}

async function playFault(
  world: FaultWorld,
  { fault, startMs, lengthMs }: PlannedFault,
): Promise<void> {
  await rest(startMs)
  const end = await fault.begin(world)
  await rest(lengthMs)
  await end()
}

export const describeSchedule = (planned: PlannedFault[]): string =>
  planned
    .toSorted((a, b) => a.startMs - b.startMs)
    .map(({ fault, startMs, lengthMs }) => `${fault.name} at ${startMs} ms for ${lengthMs} ms`)
    .join('; ')

/** A schedule that was played in a world of the sweep, which writes it as a line of JSON. */
export interface PlayedSchedule {
  seed: number
  schedule: string
  /** Promises that were broken, in words. */
  wrong: string[]
  figures: Figures
}

/** Shows that something happened at all. */
export interface Figures {
  accepted: number
  /** Mails that the sink has, a campaign's too. */
  sent: number
  /** Recipients that were in doubt at some time. */
  doubts: number
  /** Calls that were not answered, or by 503. */
  refusals: number
}

/** Of a schedule that did not come to its end. */
export const noFigures: Figures = { accepted: 0, sent: 0, doubts: 0, refusals: 0 }

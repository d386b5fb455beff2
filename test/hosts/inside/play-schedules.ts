/**
 * Plays schedules of faults by seed in one world, which the sweep runs in namespaces: `--seed S
 * --schedules N`. It writes one line of JSON for each schedule.
 */
import { parseArgs } from 'node:util'
import { createDraw } from '../../support/fault-draw.ts'
import { hostsOfProcess } from '../hosts-world.ts'
import { playSchedule } from '../play-schedule.ts'
import {
  describeSchedule,
  drawSchedule,
  noFigures,
  slowRecords,
  type PlayedSchedule,
} from '../schedule.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    schedules: { type: 'string', default: '1' },
    broken: { type: 'string' },
  },
})

const hosts = await hostsOfProcess()
const services = await hosts.startAll(() => ({
  failpoints: [
    ...slowRecords(30),
    ...(values.broken === undefined ? [] : [`${values.broken}:broken`]),
  ],
}))
const first = Number(values.seed)
for (let seed = first; seed < first + Number(values.schedules); seed++) {
  const planned = drawSchedule(createDraw(seed))
  const { wrong, figures } = await playSchedule({ ...hosts, services }, planned).catch(failed)
  const played: PlayedSchedule = { seed, schedule: describeSchedule(planned), wrong, figures }
  process.stdout.write(`${JSON.stringify(played)}\n`)
  // What broke one promise may break the next: the rest is played in another world.
  if (wrong.length > 0) break
}
await hosts.close()
process.exit()

function failed(error: unknown): Pick<PlayedSchedule, 'wrong' | 'figures'> {
  return { wrong: [String((error as Error).stack)], figures: noFigures }
}

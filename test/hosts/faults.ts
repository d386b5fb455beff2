/** The faults that a schedule draws from: how each begins, and how it ends. */
import { rest } from '../support/fault-calls.ts'
import type { Draw } from '../support/fault-draw.ts'
import { serviceHosts, type ServiceHost } from './hosts-world.ts'
import { drop, hosts, slowDown, unplug, type Heal, type Host } from './network.ts'
import type { FaultWorld } from './play-schedule.ts'

/** A fault as it was drawn: its name says all, for the report. */
export interface Fault {
  name: string
  /** Answers how it ends. */
  begin(world: FaultWorld): Ended | Promise<Ended>
}

export type Ended = () => void | Promise<void>

/** For so long its clock is wrong before it is killed. */
const skewedMs = 800

/** What only happens, and needs no end. */
export const over: Ended = () => undefined

/** Each kind draws where and how much. */
export const faultKinds = {
  killed: (draw) => {
    const host = draw.pick([...serviceHosts, 'sink'] as const)
    return fault(`${host} killed`, async ({ services, sink }) => {
      await (host === 'sink' ? sink : services[host]).kill()
      return over
    })
  },
  databaseKilled: (draw) =>
    draw.pick([
      fault('database killed', ({ database }) => (database.kill(), over)),
      fault(
        'a backend of the database killed',
        async ({ database }) => (await database.killBackend(), over),
      ),
      fault(
        'connections terminated',
        async ({ database }) => (await database.terminateBackends(), over),
      ),
    ]),
  frozen: (draw) => {
    const host = draw.pick([...serviceHosts, ...serviceHosts, 'sink', 'database'] as const)
    return fault(`${host} frozen`, ({ services, sink, database }) =>
      (host === 'sink' ? sink : host === 'database' ? database : services[host]).freeze(),
    )
  },
  partitioned: (draw) => {
    const [first, second] = drawPair(draw)
    return fault(`${first} and ${second} apart`, () =>
      both(drop(first, second), drop(second, first)),
    )
  },
  /**
   * Packets pass in one direction only: one side believes in connections that the other has lost.
   */
  halfOpen: (draw) => {
    const [from, to] = draw.shuffle(drawPair(draw))
    return fault(`${from} heard by ${to} no longer`, () => drop(from ?? 'api', to ?? 'sink'))
  },
  unplugged: (draw) => {
    const host = draw.pick(hosts)
    return fault(`${host} unplugged`, () => unplug(host))
  },
  /** A machine that is lost without a word: its peers keep their half of each connection. */
  vanished: (draw) => {
    const host = draw.pick(serviceHosts)
    return fault(`${host} vanished`, ({ services }) => {
      const plug = unplug(host)
      services[host].kill()
      return plug
    })
  },
  slow: (draw) => {
    const host = draw.pick(hosts)
    const kbits = draw.pick([100, 400])
    return fault(`${host} on a line of ${kbits} kbit/s`, () => slowDown(host, kbits))
  },
  clockWrong: (draw) => {
    const host = draw.pick(serviceHosts)
    const seconds = draw.pick([-600, 600])
    return fault(`clock of ${host} wrong by ${seconds} s`, ({ services }) =>
      services[host].skew(seconds),
    )
  },
  /** What it holds was leased by its clock, if that decided anything. */
  killedWithWrongClock: (draw) => {
    const host = draw.pick(serviceHosts)
    const seconds = draw.pick([-600, 600])
    return fault(
      `${host} killed while its clock is wrong by ${seconds} s`,
      async ({ services }) => {
        const heal = services[host].skew(seconds)
        await rest(skewedMs)
        services[host].kill()
        return heal
      },
    )
  },
  diskFull: () => fault('disk of the database full', ({ database }) => database.fillDisk()),
  connectionsTaken: () =>
    fault('connections of the database taken', ({ database }) => database.takeConnections()),
} satisfies Record<string, (draw: Draw) => Fault>

export type FaultKind = keyof typeof faultKinds

const fault = (name: string, begin: Fault['begin']): Fault => ({ name, begin })

/** Those that talk to each other. */
function drawPair(draw: Draw): [Host, Host] {
  const service: ServiceHost = draw.pick(serviceHosts)
  return [service, draw.pick(['database', 'database', 'sink'] as const)]
}

export const both =
  (a: Heal, b: Heal): Heal =>
  () => {
    a()
    b()
  }

/**
 * Five hosts, each a network namespace with one cable to a router: this process's own namespace. A
 * test cuts a cable, slows it down, or lets the router drop what one host sends to another, in one
 * direction or in both. The router itself reaches every host.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

export const hosts = ['api', 'worker-a', 'worker-b', 'database', 'sink'] as const
export type Host = (typeof hosts)[number]

const networkOf = (host: Host): string => `10.77.${hosts.indexOf(host) + 1}`

export const addressOfHost = (host: Host): string => `${networkOf(host)}.2`
/** The router's own address on a host's cable: what a host calls to reach this process. */
export const routerOf = (host: Host): string => `${networkOf(host)}.1`

/** Prefix of a command that runs it on a host. It has the number of the process that it starts. */
export const on = (host: Host): string[] => ['nsenter', `--net=/run/netns/${host}`]

/** Makes the hosts; once in a process. */
export function makeNetwork(): void {
  for (const host of hosts) {
    ip(`netns add ${host}`)
    ip(`link add to-${host} type veth peer name eth0 netns ${host}`)
    ip(`address add ${routerOf(host)}/24 dev to-${host}`)
    ip(`link set to-${host} up`)
    ip(`-n ${host} address add ${addressOfHost(host)}/24 dev eth0`)
    ip(`-n ${host} link set lo up`)
    ip(`-n ${host} link set eth0 up`)
    ip(`-n ${host} route add default via ${routerOf(host)}`)
    retransmitSooner(host)
  }
}

/** Ends a fault; a second call does nothing. */
export type Heal = () => void

/** What `from` sends to `to` is lost on the way, without a word to either. */
export function drop(from: Host, to: Host): Heal {
  // Each rule has a number of its own, so that two faults of one pair end separately.
  const number = ruleNumber++
  ip(`rule add from ${addressOfHost(from)} to ${addressOfHost(to)} blackhole priority ${number}`)
  return once(() => ip(`rule del priority ${number}`))
}

/** Pulls a host's cable, for everybody. */
export function unplug(host: Host): Heal {
  return counted(`plug ${host}`, {
    begin: () => ip(`link set to-${host} down`),
    end: () => ip(`link set to-${host} up`),
  })
}

/**
 * A host's cable transports `kbits` a second, each way; what comes too quickly waits, then is lost.
 */
export function slowDown(host: Host, kbits: number): Heal {
  const queue = `root tbf rate ${kbits}kbit burst 3000 limit 60000`
  return counted(`speed ${host}`, {
    begin: () => {
      tc(`qdisc replace dev to-${host} ${queue}`)
      tc(`-n ${host} qdisc replace dev eth0 ${queue}`)
    },
    end: () => {
      tc(`qdisc del dev to-${host} root`)
      tc(`-n ${host} qdisc del dev eth0 root`)
    },
  })
}

/** How many connections from one host stand at another, accepted by its program or not. */
export function connectionsBetween(from: Host, to: Host): number {
  const table = execFileSync('nsenter', [`--net=/run/netns/${to}`, 'cat', '/proc/net/tcp'], {
    encoding: 'utf8',
  })
  // The address of the other end, its bytes from the last to the first; then the state, of which 01
  // is ESTABLISHED (proc_pid_net(5)).
  const bytes = addressOfHost(from).split('.').toReversed()
  const remote = bytes
    .map((byte) => Number(byte).toString(16).padStart(2, '0').toUpperCase())
    .join('')
  return table.split('\n').filter((line) => new RegExp(` ${remote}:[0-9A-F]{4} 01 `).test(line))
    .length
}

let ruleNumber = 1000

const underWay = new Map<string, number>()

/** Faults that overlap begin with the first and end with the last. */
export function counted(
  name: string,
  { begin, end }: { begin: () => void; end: () => void },
): Heal {
  const before = underWay.get(name) ?? 0
  underWay.set(name, before + 1)
  if (before === 0) begin()
  return once(() => {
    const left = (underWay.get(name) ?? 1) - 1
    underWay.set(name, left)
    if (left === 0) end()
  })
}

function once(end: () => void): Heal {
  let isOver = false
  return () => {
    if (!isOver) end()
    isOver = true
  }
}

/**
 * After a cut, a lost packet goes again at most a second later instead of up to two minutes, where
 * the kernel can do that (Linux 6.15): schedules of faults would otherwise wait for nothing but
 * that.
 */
function retransmitSooner(host: Host): void {
  const file = '/proc/sys/net/ipv4/tcp_rto_max_ms'
  try {
    execFileSync('nsenter', [`--net=/run/netns/${host}`, 'sh', '-c', `echo 1000 > ${file}`], {
      stdio: 'ignore',
    })
    writeFileSync(file, '1000')
  } catch {
    // An older kernel waits longer.
  }
}

const ip = (command: string): void => run('ip', command)
const tc = (command: string): void => run('tc', command)

function run(program: string, command: string): void {
  execFileSync(program, command.split(' '), { stdio: ['ignore', 'ignore', 'inherit'] })
}

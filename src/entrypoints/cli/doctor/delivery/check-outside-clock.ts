/** Compares our clock with others' on the network: certificates, signatures of requests and DKIM times depend on it. */
import { passed, warned, type Check } from '../check.ts'
import type { DeliveryParts } from './delivery-parts.ts'

/** Dates of HTTP have whole seconds, and come late. */
const skewMaxMs = 30_000
const withinMs = 10_000

export async function checkOutsideClock({ surroundings, config, peer }: DeliveryParts): Promise<Check> {
  const { clock } = surroundings
  const outbound = surroundings.openOutbound(config)
  try {
    const askedMs = clock.now().getTime()
    const url = new URL(`https://${peer}/`)
    const answer = await outbound.send({ method: 'GET', url, headers: {}, withinMs, readMax: 0, signal: surroundings.signal })
    const halfMs = (clock.now().getTime() - askedMs) / 2
    const date = answer.kind === 'answered' ? new Date(String(answer.headers['date'])).getTime() : Number.NaN
    // Another machine's clock is a comparison, not a need.
    if (Number.isNaN(date)) return passed('clock outside', `not compared: ${peer} says no time by HTTPS`)
    const skewMs = date - askedMs - halfMs
    const seconds = `${Math.round(Math.abs(skewMs) / 1000)} s`
    return Math.abs(skewMs) <= skewMaxMs
      ? passed('clock outside', `agrees with ${peer} within ${seconds}`)
      : warned(
          'clock outside',
          `${peer} is ${seconds} ${skewMs > 0 ? 'ahead' : 'behind'}`,
          'Let this machine take its time from NTP.',
        )
  } finally {
    await outbound.close()
  }
}

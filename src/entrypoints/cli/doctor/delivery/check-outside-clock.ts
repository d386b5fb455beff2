/**
 * Compares our clock with others' on the network: certificates, signatures of requests and DKIM
 * times depend on it.
 */
import { passed, warned, type Check, type DoctorParts } from '../check.ts'

/** Dates of HTTP have whole seconds, and come late. */
const skewMaxMs = 30_000
const withinMs = 10_000

export async function checkOutsideClock(parts: DoctorParts & { peer: string }): Promise<Check> {
  const { outbound, peer } = parts
  const { clock, signal } = parts.surroundings
  const requestedMs = clock.now().getTime()
  const url = new URL(`https://${peer}/`)
  const answer = await outbound.send({
    method: 'GET',
    url,
    headers: {},
    withinMs,
    readMax: 0,
    signal,
  })
  const halfMs = (clock.now().getTime() - requestedMs) / 2
  const date =
    answer.kind === 'answered' ? new Date(String(answer.headers['date'])).getTime() : Number.NaN
  // Another machine's clock is a comparison, not a need.
  if (Number.isNaN(date))
    return passed('clock outside', `not compared: ${peer} says no time by HTTPS`)
  const skewMs = date - requestedMs - halfMs
  const seconds = `${Math.round(Math.abs(skewMs) / 1000)} s`
  if (Math.abs(skewMs) <= skewMaxMs)
    return passed('clock outside', `agrees with ${peer} within ${seconds}`)
  const message = `${peer} is ${seconds} ${skewMs > 0 ? 'ahead' : 'behind'}`
  return warned('clock outside', message, 'Let this machine take its time from NTP.')
}

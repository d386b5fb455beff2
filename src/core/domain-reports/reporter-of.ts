/**
 * Names who sent a report, for readers: the organisation's domain of an address or host, as the
 * report says. It proves nothing.
 */
import { getDomain } from 'tldts'

const labelMax = 100

/** `unknown` where the report names nobody. */
export function reporterOf(domain: string): string {
  return (getDomain(domain) ?? domain).slice(0, labelMax) || 'unknown'
}

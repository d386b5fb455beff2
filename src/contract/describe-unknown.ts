/**
 * Describes a request that no operation answers: its wrong method or unknown address, with the
 * operation that was probably meant.
 */
import { distanceBetween } from '../ground/nearest.ts'
import { operationIds, operations } from './operations.ts'
import type { Operation } from './operation.ts'

/**
 * `unknown_address`: nothing similar exists, and `nearest` is the map. `method`: the address
 * exists, for other methods. `unreadable_address`: a part of it is badly encoded, or longer than
 * any of ours.
 */
export type UnknownAddress =
  | {
      reason: 'unknown_address' | 'mistyped_address'
      method: string
      path: string
      nearest: string
    }
  | { reason: 'unreadable_address'; method: string; path: string }
  | { reason: 'method'; method: string; path: string; allowed: string[] }

interface Known {
  method: string
  path: string
  segments: string[]
  /** Whether API keys can call it: no other address is ever proposed. */
  isOfPrograms: boolean
}

/** The map lists every operation of the API; addresses that resemble none lead there. */
const map = 'GET /api/v1'
/** All our addresses are shorter; longer ones are not compared further. */
const segmentsMax = 8
const segmentMax = 40

export function describeUnknown(method: string, url: string): UnknownAddress {
  const requested = url.split(/[?#]/, 1)[0] ?? ''
  const path = requested.slice(0, 200)
  const segments = segmentsOf(requested)
  const allowed = known()
    .filter((item) => isSame(item.segments, segments))
    .flatMap((item) => methodsOf(item.method))
  if (allowed.includes(method)) return { reason: 'unreadable_address', method, path }
  if (allowed.length > 0) return { reason: 'method', method, path, allowed: [...new Set(allowed)] }
  const meant = nearestTo(method, segments)
  return meant === null
    ? { reason: 'unknown_address', method, path, nearest: map }
    : { reason: 'mistyped_address', method, path, nearest: meant }
}

/** Computed from the table on the first such request. */
let addresses: Known[] | null = null

function known(): Known[] {
  addresses ??= [
    ...operationIds.flatMap((id): Known[] => {
      const { method, path, entry }: Operation = operations[id]
      const ofUsers = entry === 'user' ? `/people${path}` : `/workspaces/{workspace}${path}`
      return entry === 'api'
        ? [address(method, path, true), address(method, ofUsers, false)]
        : [address(method, ofUsers, false)]
    }),
    address('GET', '/api/v1/openapi.json', true),
    address('POST', '/api/mcp', true),
  ]
  return addresses
}

const address = (method: string, path: string, isOfPrograms: boolean): Known => ({
  ...{ method, path, isOfPrograms },
  segments: segmentsOf(path),
})

const methodsOf = (method: string): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method])

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '')

const isParameter = (segment: string): boolean => segment.startsWith('{')

const isSame = (template: string[], segments: string[]): boolean =>
  template.length === segments.length &&
  template.every((segment, index) => isParameter(segment) || segment === segments[index])

/**
 * Finds the nearest address, if at most a third of its letters differ; version and prefix may be
 * wrong or missing.
 */
function nearestTo(method: string, segments: string[]): string | null {
  const own = withoutPrefix(segments)
    .slice(0, segmentsMax)
    .map((segment) => segment.slice(0, segmentMax).toLowerCase())
  const letters = own.join('').length
  const distanceMax = Math.max(1, Math.floor(letters / 3))
  const ranked = known()
    .filter(
      ({ isOfPrograms, segments: template }) =>
        isOfPrograms && missingLetters(withoutPrefix(template), own) <= distanceMax,
    )
    .map((item) => ({
      one: item,
      distance: distanceOf(withoutPrefix(item.segments), own),
      isOtherMethod: Number(item.method !== method),
    }))
    .toSorted((a, b) => a.distance - b.distance || a.isOtherMethod - b.isOtherMethod)
  const [best] = ranked
  if (!best || own.length === 0 || best.distance > distanceMax) return null
  return `${best.one.method} ${best.one.path}`
}

const withoutPrefix = (segments: string[]): string[] => {
  const [first = '', second = ''] = segments.map((segment) => segment.toLowerCase())
  const prefix = first === 'api' ? (isVersion(second) ? 2 : 1) : isVersion(first) ? 1 : 0
  return segments.slice(prefix)
}

const isVersion = (segment: string): boolean => /^v\d{1,3}$/.test(segment)

/**
 * Counts differing letters by segment; a parameter matches anything, and a missing segment counts
 * whole.
 */
const distanceOf = (template: string[], segments: string[]): number =>
  sumOf(template, segments, distanceBetween)

/**
 * A cheap lower bound of `distanceOf`: at least as many letters differ as one segment is longer
 * than the other.
 */
const missingLetters = (template: string[], segments: string[]): number =>
  sumOf(template, segments, (segment, part) => Math.abs(segment.length - part.length))

function sumOf(
  template: string[],
  segments: string[],
  between: (segment: string, part: string) => number,
): number {
  let sum = 0
  for (let index = 0; index < Math.max(template.length, segments.length); index++) {
    const [part = '', segment = ''] = [template[index], segments[index]]
    sum += isParameter(part) ? Number(segment === '') : between(segment, part)
  }
  return sum
}

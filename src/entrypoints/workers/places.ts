/** What this process's workers may still take on: counted before they claim, so that turns at the same time do not take the same places twice. */
import type { Service } from '../../core/context.ts'

/** The part of all places that campaigns leave free. */
const keptShare = 1 / 8

/** Rows that this process holds at most, recording included. */
const heldMax = 512

/** Octets of mails at which nothing more is claimed: what was begun may exceed it by one message. */
const heldOctetsMax = 64 * 1024 * 1024

export interface Places {
  /** Envelopes that may be taken on now. */
  free(): number
  /** Takes up to `wanted` places. They are released when they found no row, or when the provider counts their envelopes itself. */
  reserve(wanted: number): number
  /** The same for campaigns: some places are always kept for transactional mail. `theirs`: places that campaigns have now. */
  reserveBeside(wanted: number, theirs: number): number
  release(places: number): void
  /** Octets of mails that may be taken on now. */
  octetsFree(): number
  /** Holds the octets of one more mail; false when none are free. */
  holdOctets(octets: number): boolean
  releaseOctets(octets: number): void
}

export function createPlaces({ provider, sending }: Pick<Service, 'provider' | 'sending'>, octetsMax = heldOctetsMax): Places {
  let reserved = 0
  let octets = 0
  const free = (): number => {
    if (octets >= octetsMax) return 0
    return Math.max(0, Math.min(provider.free(), heldMax - sending.held()) - reserved)
  }
  const reserve = (wanted: number): number => {
    const places = Math.max(0, Math.min(wanted, free()))
    reserved += places
    return places
  }
  return {
    free,
    reserve,
    reserveBeside: (wanted, theirs) => reserve(Math.min(wanted, besideOthers(free() + theirs) - theirs)),
    release: (places) => void (reserved -= places),
    octetsFree: () => Math.max(0, octetsMax - octets),
    holdOctets(more) {
      if (octets >= octetsMax) return false
      octets += more
      return true
    },
    releaseOctets: (fewer) => void (octets -= fewer),
  }
}

/** How many of all places campaigns may have: where there is one, they may have it. */
export const besideOthers = (all: number): number => (all <= 1 ? all : all - Math.max(1, Math.floor(all * keptShare)))

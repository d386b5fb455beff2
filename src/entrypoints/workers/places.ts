/** What this process's workers may still take on: counted before they claim, so that turns at the same time do not take the same places twice. */
import type { Service } from '../../core/context.ts'
import type { Provider } from '../../providers/provider.ts'

/** The part of all places that campaigns leave free. */
const keptShare = 1 / 8

/** Rows that this process holds at most, recording included. */
const heldMax = 512

/** Octets of mails at which nothing more is claimed: what was begun may exceed it by one message. */
const heldOctetsMax = 64 * 1024 * 1024

export interface Places {
  /** Those of the provider that a workspace's mail leaves by now: what is reserved of them is released to the same. */
  of(workspaceId: number): ProviderPlaces
  /** Octets of mails that may be taken on now. */
  octetsFree(): number
  /** Holds the octets of one more mail; false when none are free. */
  holdOctets(octets: number): boolean
  releaseOctets(octets: number): void
}

export interface ProviderPlaces {
  /** Envelopes that may be taken on now. */
  free(): number
  /** Takes up to `wanted` places. They are released when they found no row, or when the provider counts their envelopes itself. */
  reserve(wanted: number): number
  /** The same for campaigns: some places are always kept for transactional mail. `theirs`: places that campaigns have now. */
  reserveBeside(wanted: number, theirs: number): number
  release(places: number): void
}

export function createPlaces({ providers, sending }: Pick<Service, 'providers' | 'sending'>, octetsMax = heldOctetsMax): Places {
  let reserved = 0
  let octets = 0
  const ofProvider = (provider: Provider): ProviderPlaces => {
    let reservedHere = 0
    const free = (): number => {
      if (octets >= octetsMax) return 0
      return Math.max(0, Math.min(provider.free() - reservedHere, heldMax - sending.held() - reserved))
    }
    const count = (places: number): number => {
      reserved += places
      reservedHere += places
      return places
    }
    const reserve = (wanted: number): number => count(Math.max(0, Math.min(wanted, free())))
    return {
      free,
      reserve,
      reserveBeside: (wanted, theirs) => reserve(Math.min(wanted, besideOthers(free() + theirs) - theirs)),
      release: (places) => void count(-places),
    }
  }
  const known = new WeakMap<Provider, ProviderPlaces>()
  return {
    of(workspaceId) {
      const provider = providers.of(workspaceId)
      const places = known.get(provider) ?? ofProvider(provider)
      known.set(provider, places)
      return places
    },
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

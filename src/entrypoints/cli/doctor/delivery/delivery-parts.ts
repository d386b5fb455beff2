/** The input of each step of `doctor --delivery`. */
import type { Config } from '../../../../config.ts'
import type { Resolver } from '../../../../dns/lookup.ts'
import type { Surroundings } from '../../command.ts'

export interface DeliveryParts {
  surroundings: Surroundings
  config: Config
  resolver: Resolver
  /** A domain that receives mail: the checks dial its mail hosts, and compare our clock with its web server's. */
  peer: string
}

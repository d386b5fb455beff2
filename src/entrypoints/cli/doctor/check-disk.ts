/**
 * Checks that the embedded database has free disk space: the service stops to accept mail before
 * PostgreSQL would fail.
 */
import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../../../ground/config.ts'
import { findAnyLocation } from '../../../database/embedded/postgres-location.ts'
import { messageOf, passed, failed, warned, type Check } from './check.ts'

export function checkDisk(config: Config): Check {
  if (config.databaseUrl !== null)
    return passed('disk', "the external database's disk is not seen from here")
  try {
    const folder = existing(findAnyLocation(config.dataFolder)?.home ?? config.dataFolder)
    const { bavail, bsize } = statfsSync(folder)
    return check(bavail * bsize, config.diskFreeMin, folder)
  } catch (error) {
    return failed('disk', messageOf(error), 'Set FACTEUR_DATA to a folder that can be read.')
  }
}

function check(free: number, min: number, folder: string): Check {
  const about = `${megabytes(free)} free at ${folder}`
  const next = 'Make room, or move the data folder to a larger disk.'
  if (free < min)
    return failed('disk', `${about}: below ${megabytes(min)} nothing new is accepted`, next)
  if (free < 2 * min)
    return warned(
      'disk',
      `${about}: soon below ${megabytes(min)}, where nothing new is accepted`,
      next,
    )
  return passed('disk', about)
}

const megabytes = (bytes: number): string =>
  bytes < 10e9 ? `${Math.floor(bytes / 1e6)} MB` : `${Math.floor(bytes / 1e9)} GB`

function existing(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : existing(dirname(folder))
}

/**
 * Gauges of backups, of what a restore holds, of a copy to another database, and of workspaces on
 * their way to another cell.
 */
import { backupState } from '../../database/transport/backup/backup-state.ts'
import { withheldTotals } from '../../db/restore/withheld-counts.ts'
import { databaseCopy } from '../../database/transport/copy-state.ts'
import { isUnfinished, workspaceMoves } from '../../database/transport/move/workspace-moves.ts'
import { cellsRead, gaugeRead, type GaugeRead, type GaugeSource } from './database-reads.ts'
import type { MakeGauge } from './work-counters.ts'

/** `shared`: makes a gauge whose help says that every process has the same. */
export function readBackupGauges(source: GaugeSource, shared: MakeGauge): GaugeRead[] {
  const { countingDb } = source
  const age = shared(
    'facteur_backup_age_seconds',
    'Seconds since the moment that the last scheduled backup shows; NaN without one',
  )
  const failed = shared(
    'facteur_backup_failed',
    '1 while the last try of a scheduled backup failed',
  )
  const bytes = shared('facteur_backup_bytes', 'Bytes of the last scheduled backup')
  const results = shared(
    'facteur_held_after_restore',
    'What waits for facteur restore release or discard, by kind',
    'kind',
  )
  const copyShare = shared(
    'facteur_database_copy_share',
    'How much of a copy to another database is done, from 0 to 1; NaN without one',
  )
  const moving = ['workspace', 'from', 'to', 'state']
  const moveShare = shared(
    'facteur_workspace_move_share',
    'How much of the move of a workspace to another cell is copied, from 0 to 1; absent without one',
    ...moving,
  )
  const moveQuiet = shared(
    'facteur_workspace_move_quiet_seconds',
    'Seconds since the command that moves a workspace last showed that it goes on',
    ...moving,
  )
  return [
    gaugeRead(
      'backup',
      [age, failed, bytes],
      () => backupState(countingDb),
      (backup) => {
        age.set(backup?.ageSeconds ?? Number.NaN)
        failed.set(backup?.failedAt ? 1 : 0)
        bytes.set(backup?.bytes ?? 0)
      },
    ),
    cellsRead('restore', [results], { source, ask: withheldTotals }, (result) => {
      for (const { kind, withheld: count } of result.flat()) results.inc({ kind }, count)
    }),
    gaugeRead(
      'copy',
      [copyShare],
      () => databaseCopy(countingDb),
      (copy) => copyShare.set(copy?.share ?? Number.NaN),
    ),
    gaugeRead(
      'workspace_moves',
      [moveShare, moveQuiet],
      () => workspaceMoves(countingDb),
      (moves) => {
        for (const { slug, fromCell, toCell, state, share, quietSeconds } of moves.filter(
          isUnfinished,
        )) {
          const labels = { workspace: slug, from: fromCell, to: toCell, state }
          moveShare.set(labels, share)
          moveQuiet.set(labels, quietSeconds)
        }
      },
    ),
  ]
}

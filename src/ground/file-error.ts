/**
 * Failures of the file system, as one line for the operator. The database's sockets fail with the
 * same codes, so work on files says by this class where its errors come from.
 */
import { OperatorError } from './operator-error.ts'

export class FileError extends OperatorError {
  override name = 'FileError'
}

type Deed = 'made' | 'read' | 'written'

/**
 * Runs work on a place that the operator named; its errors name that place and the reason. Errors
 * of others pass as they are.
 */
export async function onFiles<T>(path: string, deed: Deed, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fileError(path, deed, error)
  }
}

/** The same error, where it is none of the system. */
export function fileError<E>(path: string, deed: Deed, error: E): E | FileError {
  if (!(error instanceof Error) || error instanceof OperatorError || !('syscall' in error))
    return error
  const code = 'code' in error ? String(error.code) : ''
  return new FileError(
    `${path} cannot be ${deed}: ${reasons[code] ?? 'the system refuses it'} (${code}).`,
    { cause: error },
  )
}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'the file is too large',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the file system is read-only',
  ENOENT: 'it is not there, and cannot be made',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'there is something else of this name',
  EISDIR: 'it is a folder',
  ENOTEMPTY: 'there is something else of this name',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
  EIO: 'the disk fails',
}

/**
 * Hashes passwords with Argon2id (RFC 9106), off the main thread and one at a time, so that signing
 * in does not slow sending down.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'

export interface Passwords {
  /** In the PHC string format, with its parameters. */
  hash(password: string): Promise<string>
  /** A null `hash` means no account. It takes as long as a real check, and returns false. */
  verify(password: string, hash: string | null): Promise<boolean>
}

/** OWASP Password Storage: 19 MiB, two passes, one lane. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 } as const
const tagLength = 32
/** Further callers get `internal_error`, and may try again after five seconds. */
const waitingMax = 64

export function createPasswords(): Passwords {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= waitingMax) throw new ApiError('internal_error', { reason: 'busy' }, 5)
    waiting++
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine.finally(() => waiting--)
  }
  const nobodys = randomBytes(16)
  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = randomBytes(16)
        return write(salt, await derive(password, salt, parameters))
      }),
    verify: (password, hash) =>
      inTurn(async () => {
        const read = hash === null ? null : readPhc(hash)
        const derived = await derive(
          password,
          read?.salt ?? nobodys,
          read?.parameters ?? parameters,
        )
        return read !== null && timingSafeEqual(derived, read.tag)
      }),
  }
}

interface Parameters {
  memory: number
  passes: number
  parallelism: number
}

/**
 * Normalizes first: the same password typed on two keyboards gives the same bytes (NIST SP
 * 800-63B-4 3.1.1.2).
 */
const derive = (password: string, nonce: Buffer, chosen: Parameters): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    argon2(
      'argon2id',
      { message: password.normalize('NFKC'), nonce, tagLength, ...chosen },
      (error, tag) => (error ? reject(error) : resolve(tag)),
    )
  })

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

const write = (salt: Buffer, tag: Buffer): string =>
  `$argon2id$v=19$m=${parameters.memory},t=${parameters.passes},p=${parameters.parallelism}$${base64(salt)}$${base64(tag)}`

function readPhc(hash: string): { parameters: Parameters; salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt = '', tag = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]{43})$/.exec(hash) ?? []
  if (tag === '') throw new Error('A password is kept in a format that is not known')
  return {
    parameters: {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

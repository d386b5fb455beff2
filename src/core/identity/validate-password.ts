/**
 * Validates a new password beyond its length: it must not be among the first guesses (NIST SP
 * 800-63B-4 3.1.1.2).
 */
import { shapeError } from '../input/shape-error.ts'

/** The minimum of different code points: `aaaaaaaaaaaa` and `121212121212` are guessed at once. */
const distinctMin = 5

const common = [
  'password',
  'passwort',
  'motdepasse',
  'azerty',
  'qwerty',
  'facteur',
  '123456',
  'abcdef',
]

/**
 * Throws `validation_error` for a password that is too simple, or made of the user's own address.
 */
export function validatePassword(password: string, email: string): void {
  const plain = password.toLowerCase()
  const rest = [email, email.slice(0, email.lastIndexOf('@')), ...common].reduce(
    (left, word) => left.replaceAll(word, ''),
    plain,
  )
  const simple = new Set(plain).size < distinctMin
  if (simple || [...rest].length < 6) throw shapeError([{ path: 'password', rule: 'too_simple' }])
}

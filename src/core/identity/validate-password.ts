/** What a new password has to be beside long enough: nothing that everybody tries first (NIST SP 800-63B-4 3.1.1.2). */
import { shapeError } from '../input/validate-shape.ts'

/** Code points that it must be made of at least: `aaaaaaaaaaaa` and `121212121212` are guessed at once. */
const distinctMin = 5

const common = ['password', 'passwort', 'motdepasse', 'azerty', 'qwerty', 'facteur', '123456', 'abcdef']

/** Throws `validation_error` for one that is too simple, or made of the person's own address. */
export function validatePassword(password: string, email: string): void {
  const plain = password.toLowerCase()
  const rest = [email, email.slice(0, email.lastIndexOf('@')), ...common].reduce((left, word) => left.replaceAll(word, ''), plain)
  const simple = new Set(plain).size < distinctMin
  if (simple || [...rest].length < 6) throw shapeError([{ path: 'password', rule: 'too_simple' }])
}

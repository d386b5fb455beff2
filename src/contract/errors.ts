/** Every refusal that a call can get: its code, its status, its text in both languages (spec: Errors). */
import { hints, isHint } from './hints.ts'
import { personErrorKinds } from './person-errors.ts'

export type Language = 'fr' | 'en'

interface ErrorKind {
  status: number
  fr: string
  en: string
}

/** The closed table of the API's codes. Logic reads the code; the texts may be rephrased. */
export const apiErrorKinds = {
  missing_api_key: {
    status: 401,
    fr: "Clé d'API absente : envoyez « Authorization: Bearer <clé> » ou « X-Api-Key: <clé> ».",
    en: 'No API key: send "Authorization: Bearer <key>" or "X-Api-Key: <key>".',
  },
  invalid_api_key: {
    status: 401,
    fr: "Clé d'API inconnue : vérifiez qu'elle est entière, ou créez-en une nouvelle.",
    en: 'Unknown API key: check that it is whole, or create a new one.',
  },
  revoked_api_key: {
    status: 401,
    fr: "Cette clé d'API a été révoquée : créez-en une nouvelle.",
    en: 'This API key was revoked: create a new one.',
  },
  insufficient_scope: {
    status: 403,
    fr: 'La clé ne porte pas la permission demandée : créez une clé qui la porte.',
    en: 'The key lacks the required permission: create a key that has it.',
  },
  reputation_blocked: {
    status: 403,
    fr: "L'envoi est suspendu : trop de rebonds ou de plaintes.",
    en: 'Sending is suspended: too many bounces or complaints.',
  },
  quota_exceeded: {
    status: 402,
    fr: 'Le quota mensuel du forfait ne suffit pas pour cet envoi.',
    en: "The plan's monthly quota is not enough for this send.",
  },
  not_found: {
    status: 404,
    fr: "Cet objet n'existe pas dans cet espace de travail.",
    en: 'This object does not exist in this workspace.',
  },
  conflict: {
    status: 409,
    fr: "L'état actuel de l'objet ne permet pas cette action.",
    en: "The object's present state does not allow this.",
  },
  idempotency_key_reused: {
    status: 409,
    fr: 'Cette Idempotency-Key a déjà servi avec un autre contenu : prenez-en une nouvelle par envoi.',
    en: 'This Idempotency-Key was used with another content: take a new one for each send.',
  },
  validation_error: {
    status: 422,
    fr: 'La demande est incomplète ou mal formée.',
    en: 'The request is incomplete or malformed.',
  },
  unverified_from_domain: {
    status: 422,
    fr: "Le domaine de l'expéditeur n'est pas vérifié dans cet espace de travail.",
    en: "The sender's domain is not verified in this workspace.",
  },
  suppressed_recipient: {
    status: 422,
    fr: "Un destinataire figure sur la liste d'exclusion : rien n'a été envoyé.",
    en: 'A recipient is on the suppression list: nothing was sent.',
  },
  rate_limit_exceeded: {
    status: 429,
    fr: 'Trop de requêtes en une minute : réessayez après le délai indiqué par Retry-After.',
    en: 'Too many requests in a minute: try again after the time given by Retry-After.',
  },
  send_failed: {
    status: 502,
    fr: "Le fournisseur d'envoi a refusé le message.",
    en: 'The sending provider refused the message.',
  },
  internal_error: {
    status: 500,
    fr: "Une erreur est survenue de notre côté : réessayez, et donnez l'identifiant X-Request-Id si elle dure.",
    en: 'Something failed on our side: try again, and quote the X-Request-Id if it lasts.',
  },
} as const satisfies Record<string, ErrorKind>

/** Those that people alone can meet stand after them: no program with a key ever sees one. */
export const errorKinds = { ...apiErrorKinds, ...personErrorKinds } satisfies Record<string, ErrorKind>

export type ApiErrorCode = keyof typeof apiErrorKinds
export type ErrorCode = keyof typeof errorKinds
export type ErrorDetails = Record<string, unknown>

/** A refusal that was expected. Anything else that is thrown is a bug and shown as `internal_error`. */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** What is needed to mend the problem. */
  readonly details: ErrorDetails
  /** Seconds after which the same call may succeed; becomes `Retry-After`. */
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, details: ErrorDetails = {}, retryAfter?: number) {
    super(errorKinds[code].en)
    this.name = 'ApiError'
    this.code = code
    this.details = details
    this.retryAfter = retryAfter
  }
}

/** The body of every error, readable both ways (spec: Errors). */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details: ErrorDetails }
  statusCode: number
  message: string
  name: ErrorCode
}

/** Writes an error's body in the caller's language; `hint` of the details names a text of `hints`. */
export function errorBody(code: ErrorCode, given: ErrorDetails, language: Language): ErrorBody {
  const { status, [language]: text } = errorKinds[code]
  const hint = isHint(given['hint']) ? hints[given['hint']][language] : null
  const message = hint === null ? text : `${text} ${hint}`
  const details = hint === null ? given : { ...given, hint }
  return { error: { code, message, details }, statusCode: status, message, name: code }
}

/**
 * Defines the messages between a browser and a passkey that we use (Web Authentication Level 3, 5.1
 * and 5.5).
 */
import { Type } from '../schema.ts'
import { userLimits } from './user-schemas.ts'

const Base64Url = (maxLength: number) => Type.String({ maxLength, pattern: '^[\\w-]+$' })

const ChallengeId = Type.String({ format: 'uuid' })
const CredentialId = Base64Url(1400)
const rest = {
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal('public-key'),
  clientExtensionResults: Type.Object({}, { additionalProperties: true }),
}
const Descriptor = Type.Object({
  id: Type.String(),
  type: Type.Literal('public-key'),
  transports: Type.Array(Type.String()),
})

/** PublicKeyCredentialRequestOptionsJSON. */
export const PasskeyQuestion = Type.Object({
  challenge_id: ChallengeId,
  options: Type.Object({
    challenge: Type.String(),
    rpId: Type.String(),
    timeout: Type.Integer(),
    userVerification: Type.Literal('required'),
  }),
})

/** AuthenticationResponseJSON. */
export const PasskeyAnswer = Type.Object({
  challenge_id: ChallengeId,
  response: Type.Object({
    ...rest,
    response: Type.Object({
      clientDataJSON: Base64Url(8192),
      authenticatorData: Base64Url(8192),
      signature: Base64Url(8192),
      userHandle: Type.Optional(Base64Url(200)),
    }),
  }),
})

/** PublicKeyCredentialCreationOptionsJSON. */
export const NewPasskeyQuestion = Type.Object({
  challenge_id: ChallengeId,
  options: Type.Object({
    challenge: Type.String(),
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(
      Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() }),
    ),
    timeout: Type.Integer(),
    attestation: Type.Literal('none'),
    excludeCredentials: Type.Array(Descriptor),
    authenticatorSelection: Type.Object({
      residentKey: Type.Literal('required'),
      requireResidentKey: Type.Literal(true),
      userVerification: Type.Literal('required'),
    }),
  }),
})

/** RegistrationResponseJSON, and the user's name for the passkey. */
export const NewPasskeyAnswer = Type.Object({
  challenge_id: ChallengeId,
  name: Type.String({ minLength: 1, maxLength: userLimits.nameMax }),
  response: Type.Object({
    ...rest,
    response: Type.Object({
      clientDataJSON: Base64Url(8192),
      attestationObject: Base64Url(65_536),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 })),
    }),
  }),
})

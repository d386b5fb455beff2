/** The pace of a provider that asked for a slower one. */
import { DateTime, Type, nullable } from '../schema.ts'

export const loweredPace = {
  since: DateTime,
  until: {
    ...DateTime,
    description: 'When the pace is the former one again, unless the provider asks again.',
  },
  per_second: nullable(
    Type.Number({ minimum: 0, description: 'The lowered pace. Null: nothing is held back yet.' }),
  ),
}

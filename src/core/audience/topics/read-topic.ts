/** Validates the texts of a topic, which contacts read on their page. */
import { limits } from '../../../contract/limits.ts'
import { refuseMisleading } from '../../input/check-values.ts'
import { lineOrNull, mustBeLine } from '../../input/validate-words.ts'

/** Throws `validation_error`. */
export function readTopic({ name, description }: { name: string; description: string | null }) {
  refuseMisleading(name, 'name')
  if (description !== null) refuseMisleading(description, 'description')
  return {
    name: mustBeLine(name, { path: 'name', max: limits.topicNameMax }),
    description: lineOrNull(description, {
      path: 'description',
      max: limits.topicDescriptionMax,
    }),
  }
}

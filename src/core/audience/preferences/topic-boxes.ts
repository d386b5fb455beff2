/**
 * Shows topics as check boxes, on a contact's page and in forms, and reads them back. A hidden field
 * names the topics that were shown: a box without a tick sends nothing.
 */
import { limits } from '../../../contract/limits.ts'
import type { TopicOfContact } from '../../../db/audience/topic-choices.ts'
import { html, type Html } from '../../../ground/html.ts'
import { isId } from '../../../ground/ids.ts'

/** The name of the hidden field. */
export const shownTopicsField = 'topics'
export const boxName = (id: string): string => `topic.${id}`

export interface TopicChoice {
  id: string
  subscribed: boolean
}

export const showTopicBoxes = (topics: readonly TopicOfContact[], legend: string): Html => html`
  <fieldset>
    <legend>${legend}</legend>
    <input type="hidden" name="${shownTopicsField}" value="${topics.map(({ id }) => id).join(' ')}" />
    ${topics.map(
      ({ id, name, description, subscribed }) =>
        html`<label class="box"
          ><input type="checkbox" name="${boxName(id)}" value="on"${subscribed && html` checked`} /><span
            >${name}${description !== null && html`<small>${description}</small>`}</span
          ></label
        >`,
    )}
  </fieldset>
`

/** The names of the fields that the boxes of these topics send. */
export const namesOfBoxes = (ids: readonly string[]): string[] => [
  shownTopicsField,
  ...ids.map(boxName),
]

/** The shown topics and their ticks; empty where none was shown. */
export const readTopicBoxes = (typed: ReadonlyMap<string, string>): TopicChoice[] =>
  (typed.get(shownTopicsField) ?? '')
    .split(' ')
    .filter(isId)
    .slice(0, limits.topicsMax)
    .map((id) => ({ id, subscribed: (typed.get(boxName(id)) ?? '') !== '' }))

/** Those of the topics that a contact chose otherwise than before, with their names. */
export function changedTopics(
  before: readonly TopicOfContact[],
  chosen: readonly TopicChoice[],
): { id: string; name: string; subscribed: boolean }[] {
  const byId = new Map(chosen.map(({ id, subscribed }) => [id, subscribed]))
  return before.flatMap(({ id, name, subscribed: was }) => {
    const subscribed = byId.get(id) ?? was
    return subscribed === was ? [] : [{ id, name, subscribed }]
  })
}

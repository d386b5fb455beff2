/**
 * The hook holds a form's values while the user writes them (`@mantine/form`), the act that takes
 * them, and the problem that the service's refusal names for each.
 */
import { useForm as useValues, type FormErrors } from '@mantine/form'
import type { ChangeEvent } from 'react'
import { isAbout, problemAt } from '../api/field-problem.ts'
import { useWork } from './use-work.ts'

type TextField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** Names of the values that are text. */
type TextName<Values> = {
  [Name in keyof Values]: Values[Name] extends string ? Name : never
}[keyof Values] &
  string

export interface FormState<Values> {
  values: Values
  set: (change: Partial<Values>) => void
  /**
   * Returns a text field's value, its change handler, and its problem: that of our own check, or
   * else that of the refusal.
   */
  text: (name: TextName<Values>) => {
    value: string
    onChange: (event: ChangeEvent<TextField>) => void
    error: string | null
  }
  /** Returns the value and the change handler for a part that hands over values. */
  pick: <Name extends keyof Values>(
    name: Name,
  ) => { value: Values[Name]; onChange: (value: Values[Name]) => void }
  /** Null if the service has refused nothing. */
  error: unknown
  /** The refusal stands at a field. */
  isAtField: boolean
  isBusy: boolean
  submit: () => void
}

/** May throw the service's refusal; `set` is that of the form. */
type Act<Values> = (values: Values, set: FormState<Values>['set']) => Promise<unknown>

/**
 * Values bear the names that the contract gives their fields. `validate`: the sentence of each field
 * that has a problem before the act; nothing is sent then.
 */
export function useForm<Values extends object>(
  initial: Values,
  act: Act<Values>,
  validate?: (values: Values) => FormErrors,
): FormState<Values> {
  const form = useValues<Values>({ initialValues: initial })
  const { error, isBusy, start } = useWork()
  const set = (change: Partial<Values>): void => form.setValues(change)
  const ownProblem = (name: string): string | null => {
    const problem = form.errors[name]
    return typeof problem === 'string' ? problem : null
  }
  return {
    ...{ values: form.values, set, error, isBusy },
    isAtField: isAbout(error, Object.keys(form.values)),
    text: (name) => ({
      value: String(form.values[name]),
      // Only values that are text have such a name.
      onChange: (event) => set({ [name]: event.currentTarget.value } as Partial<Values>),
      error: ownProblem(name) ?? problemAt(error, name),
    }),
    pick: (name) => ({
      value: form.values[name],
      onChange: (value) => set({ [name]: value } as unknown as Partial<Values>),
    }),
    submit: () => {
      const problems = validate?.(form.getValues()) ?? {}
      form.setErrors(problems)
      if (Object.keys(problems).length === 0) start(() => act(form.getValues(), set))
    },
  }
}

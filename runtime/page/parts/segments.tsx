import { useId } from 'preact/hooks'

interface Props<T extends string> {
  /** The name of the choice. */
  readonly label: string
  readonly choices: readonly (readonly [value: T, text: string])[]
  readonly value: T
  readonly onChoose: (value: T) => void
}

/** One of a few choices, all in sight. */
export function Segments<T extends string>({ label, choices, value, onChoose }: Props<T>) {
  const name = useId()
  return (
    <fieldset class="segments">
      <legend>{label}</legend>
      {choices.map(([each, text]) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChoose(each)} />
          {text}
        </label>
      ))}
    </fieldset>
  )
}
